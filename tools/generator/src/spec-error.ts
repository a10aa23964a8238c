/**
 * The document cannot be generated from: says what is wrong, where, and what to do. The one error class of the
 * generator.
 */
export class SpecError extends Error {
  override readonly name = "SpecError";
  /** JSON pointer into the document. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(`#${pointer}: ${message}`);
    this.pointer = pointer;
  }
}
