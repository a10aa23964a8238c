import type { ErrorObject } from "ajv";
import { suggestion } from "./faults.ts";
import { pointerBelow } from "./pointer.ts";

export interface AjvFault {
  /** Pointer relative to the validated value. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Selects the most helpful errors of ajv (with `allErrors` and `verbose`): all missing members, and one other error for
 * each pointer that has no error below it.
 */
export function readableFaults(errors: readonly ErrorObject[]): readonly AjvFault[] {
  const found = errors.map((error) => ({
    pointer: pointerOf(error),
    message: messageOf(error),
    keyword: error.keyword,
  }));
  // Keep the deepest errors of failed alternatives, because they are the most specific.
  const furthest = found.filter(
    ({ pointer, keyword }) => keyword === "required" || !found.some((other) => other.pointer.startsWith(`${pointer}/`)),
  );
  const single = furthest.filter(({ keyword }) => keyword !== "oneOf" && keyword !== "anyOf");
  return (single.length > 0 ? single : furthest).filter(
    ({ pointer, keyword }, at, all) =>
      keyword === "required" || all.findIndex((other) => other.pointer === pointer) === at,
  );
}

/** Returns the pointer of an error: the member that is not allowed, or else the value that the keyword checks. */
function pointerOf({ instancePath, params }: ErrorObject): string {
  const member: unknown = params.additionalProperty;
  return typeof member === "string" ? pointerBelow(instancePath, member) : instancePath;
}

function messageOf({ keyword, message = "invalid", params, data, parentSchema }: ErrorObject): string {
  if (keyword === "additionalProperties") {
    const member: string = params.additionalProperty;
    return `unknown member: "${member}"${suggestion(member, Object.keys(parentSchema?.properties ?? {}))}`;
  }
  if (keyword === "enum") return `${message}${suggestion(String(data), params.allowedValues.map(String))}`;
  return message;
}
