import { StatementError, type StatementFailure } from "@quern/adapter";

type Category = StatementFailure["data"]["category"];

/** Categories of Trino's error types. An unknown type is a fault of the data source. */
const categories: Readonly<Record<string, Category>> = {
  USER_ERROR: "USER",
  INSUFFICIENT_RESOURCES: "RESOURCE",
  EXTERNAL: "DATA_SOURCE",
  INTERNAL_ERROR: "DATA_SOURCE",
};

/** Error of a query, as a page of its result reports it. */
export interface QueryError {
  readonly message?: string;
  /** Name such as `DIVISION_BY_ZERO`. */
  readonly errorName?: string;
  readonly errorType?: string;
  readonly errorLocation?: { readonly lineNumber: number; readonly columnNumber: number };
}

/** Converts an error of a query to the failure that the caller is shown, with line and column. */
export function queryFailure({ message, errorName = "", errorType = "", errorLocation }: QueryError): StatementError {
  const category = categories[errorType] ?? "DATA_SOURCE";
  const position = errorLocation && { line: errorLocation.lineNumber, column: errorLocation.columnNumber };
  return failure(toName(errorName), category, message ?? "The query failed.", {
    ...position,
    retryable: category !== "USER",
  });
}

/** Returns DivisionByZero for `DIVISION_BY_ZERO`. */
function toName(errorName: string): string {
  if (!/^[A-Z][A-Z0-9_]*$/.test(errorName)) return "TrinoError";
  return errorName.toLowerCase().replaceAll(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** Creates a failure of the adapter itself. */
export function failure(
  name: string,
  category: Category,
  message: string,
  data: Partial<StatementFailure["data"]> = {},
): StatementError {
  return new StatementError({ name, message, data: { category, engine: "trino", retryable: false, ...data } });
}
