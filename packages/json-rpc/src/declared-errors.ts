import { issuesError, type WireIssue } from "./issue.ts";
import type { ErrorObject } from "./method.ts";
import { MethodError, type MethodErrorOptions } from "./method-error.ts";

/** The errors of a document by their names. */
type ErrorTable = Readonly<Record<string, ErrorObject>> & { readonly InvalidParams: ErrorObject };

/** Makes the errors that a document declares, with its codes and messages. */
export interface DeclaredErrors<Name extends string> {
  declaredError(name: Name, data?: unknown, options?: Omit<MethodErrorOptions, "data">): MethodError;
  /** For parameters that fit their schema and still cannot be used; pointers start at the parameter object: `/sql`. */
  invalidParams(issues: readonly WireIssue[], reason?: string): MethodError;
}

export function declaredErrors<Table extends ErrorTable>(table: Table): DeclaredErrors<keyof Table & string> {
  function declaredError(name: keyof Table, data?: unknown, options: Omit<MethodErrorOptions, "data"> = {}) {
    const { code, message } = table[name] as ErrorObject; // its own key
    return new MethodError(code, message, { ...options, data });
  }
  return {
    declaredError,
    invalidParams(issues, reason) {
      const { InvalidParams } = table;
      const { code, message, data } = issuesError(InvalidParams.code, InvalidParams.message, issues, "/params/0");
      return new MethodError(code, message, { data: reason === undefined ? data : { ...data, reason } });
    },
  };
}
