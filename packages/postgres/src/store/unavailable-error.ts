/** Temporary stand-in for the error of the adapter. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}
