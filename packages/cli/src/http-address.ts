import { UsageError } from "./errors/cli-error.ts";

/** Default address of the service. */
export const defaultUrl = "http://127.0.0.1:8080";

export function isHttpAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

/** Parses an address. @param origin Flag, argument or variable that has it. @throws {UsageError} The text is not an HTTP address. */
export function httpUrl(text: string, origin: string): URL {
  if (isHttpAddress(text)) return new URL(text);
  throw new UsageError(
    `invalid ${origin}: expected an HTTP address such as ${defaultUrl}, got ${JSON.stringify(text)}`,
  );
}
