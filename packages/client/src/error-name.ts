import { errorNames } from "./generated/error-names.ts";

/** Returns the name of an error code, whether its method declares it or not; undefined for an unknown code. */
export function errorName(code: number): string | undefined {
  return errorNames[code];
}
