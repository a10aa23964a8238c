import { errorNames } from "./generated/error-names.ts";

/** The name of an error code, declared by its method or not; undefined for a code that nobody knows. */
export function errorName(code: number): string | undefined {
  return errorNames[code];
}
