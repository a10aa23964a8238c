import { issuesError, type WireIssue } from "./issue.ts";
import type { ErrorObject } from "./method.ts";
import { MethodError, type MethodErrorOptions } from "./method-error.ts";

/** Errors of a document by their names. */
type ErrorTable = Readonly<Record<string, ErrorObject>> & { readonly InvalidParams: ErrorObject };

/** Functions that make the errors of a document, with its codes and messages. */
export interface DeclaredErrors<Name extends string> {
  /** Makes the error with a name. */
  declaredError(name: Name, data?: unknown, options?: Omit<MethodErrorOptions, "data">): MethodError;
  /** Makes the error of parameters that match their schema and are still not usable. Pointers are relative to the parameter object: `/sql`. */
  invalidParams(issues: readonly WireIssue[], reason?: string): MethodError;
}

/** Makes the functions for the errors of a document. */
export function declaredErrors<Table extends ErrorTable>(table: Table): DeclaredErrors<keyof Table & string> {
  function declaredError(name: keyof Table, data?: unknown, options: Omit<MethodErrorOptions, "data"> = {}) {
    const { code, message } = table[name] as ErrorObject; // `name` is a key of the table.
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
