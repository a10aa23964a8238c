import { InvalidParams } from "@quern/json-rpc/envelope";
import { MethodError } from "@quern/json-rpc/handler";
import document from "@quern/spec/openrpc.json" with { type: "json" };

const declared = document.components.errors;

/** The name of an error that the document declares. */
export type ErrorName = keyof typeof declared;

/** An error as the service answers it: code and message are the document's. */
export function declaredError(name: ErrorName, data?: unknown): MethodError {
  const { code, message } = declared[name];
  return new MethodError(code, message, { data });
}

/** What is wrong with one member; the pointer starts at the parameter object, e.g. `/sql`. */
export interface ParamIssue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/** The error for parameters that are valid by their schema and still cannot be used. */
export function invalidParams(issues: readonly ParamIssue[]): MethodError {
  const data = { issues: issues.map((issue) => ({ ...issue, pointer: `/params/0${issue.pointer}` })) };
  return new MethodError(InvalidParams, declared.InvalidParams.message, { data });
}
