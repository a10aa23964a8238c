import { MethodError, type MethodErrorOptions } from "@quern/json-rpc/handler";
import type { LimitIssue } from "@quern/query-run/limits";
import document from "@quern/spec/openrpc.json" with { type: "json" };

const declared = document.components.errors;

/** The name of an error that the document declares. */
export type ErrorName = keyof typeof declared;

/** An error as callers get it: code and message are the document's. */
export function declaredError(
  name: ErrorName,
  data?: unknown,
  options: Omit<MethodErrorOptions, "data"> = {},
): MethodError {
  const { code, message } = declared[name];
  return new MethodError(code, message, { ...options, data });
}

/** For parameters that fit their schema and still cannot be used; pointers start at the parameter object: `/sql`. */
export function invalidParams(issues: readonly LimitIssue[], reason?: string): MethodError {
  const located = issues.map((issue) => ({ ...issue, pointer: `/params/0${issue.pointer}` }));
  return declaredError("InvalidParams", reason === undefined ? { issues: located } : { issues: located, reason });
}
