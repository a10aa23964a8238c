import { ClickHouseError, parseError } from "@clickhouse/client";
import { EngineLostError, StatementError, type StatementFailure } from "@quern/adapter";

type Category = StatementFailure["data"]["category"];

/** Errors that another attempt can avoid: the server ends, or a query of the same id has not ended yet. */
const lostTypes: ReadonlySet<string> = new Set(["ABORTED", "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING"]);

/** Errors whose type does not name a fault of the statement. Errors of other types are those of the user. */
const categories: ReadonlyMap<string, Category> = new Map([
  ...(
    [
      "MEMORY_LIMIT_EXCEEDED",
      "TIMEOUT_EXCEEDED",
      "TOO_SLOW",
      "TOO_MANY_ROWS",
      "TOO_MANY_BYTES",
      "QUOTA_EXCEEDED",
      "TOO_MANY_ROWS_OR_BYTES",
      "TOO_MANY_SIMULTANEOUS_QUERIES",
      "NOT_ENOUGH_SPACE",
      "CANNOT_ALLOCATE_MEMORY",
    ] as const
  ).map((type) => [type, "RESOURCE"] as const),
  ...(
    [
      "NETWORK_ERROR",
      "SOCKET_TIMEOUT",
      "ALL_CONNECTION_TRIES_FAILED",
      "ALL_REPLICAS_ARE_STALE",
      "DNS_ERROR",
      "LOGICAL_ERROR",
      "STD_EXCEPTION",
      "POCO_EXCEPTION",
      "UNKNOWN_EXCEPTION",
      "KEEPER_EXCEPTION",
      "S3_ERROR",
      "CORRUPTED_DATA",
      "CHECKSUM_DOESNT_MATCH",
      "UNKNOWN_DATABASE",
      "QUERY_WAS_CANCELLED",
      "NO_ZOOKEEPER",
      "AUTHENTICATION_FAILED",
      "REQUIRED_PASSWORD",
      "WRONG_PASSWORD",
      "UNKNOWN_USER",
      "UNKNOWN_SETTING",
    ] as const
  ).map((type) => [type, "DATA_SOURCE"] as const),
]);

const unauthorized: ReadonlySet<string> = new Set([
  "AUTHENTICATION_FAILED",
  "REQUIRED_PASSWORD",
  "WRONG_PASSWORD",
  "UNKNOWN_USER",
]);

/**
 * Converts the text of an error of ClickHouse, such as `Code: 60. DB::Exception: … (UNKNOWN_TABLE)`, to the failure that
 * the caller is shown, with line and column. Returns undefined for another text.
 */
export function queryFailure(text: string, source: string): StatementError | EngineLostError | undefined {
  const error = parseError(text);
  if (!(error instanceof ClickHouseError)) return undefined;
  const { type = "" } = error;
  const message = error.message.trim();
  if (lostTypes.has(type)) return new EngineLostError(`ClickHouse ended the query: ${type}.`);
  if (unauthorized.has(type)) {
    const reason = `ClickHouse refused the user or password of the data source ${source}; correct them.`;
    return failure("DataSourceUnauthorized", "DATA_SOURCE", reason);
  }
  if (type === "READONLY") return readonlyFailure(message, source);
  if (type === "TOO_MANY_ROWS_OR_BYTES") return failure("ResultTooLarge", "RESOURCE", message);
  const category = categories.get(type) ?? "USER";
  const position = type === "SYNTAX_ERROR" ? positionIn(message) : {};
  return failure(toName(type), category, message, { ...position, retryable: category !== "USER" });
}

/**
 * Returns the position of an error in the statement. Texts of functions can look like it, and have values of rows: those of
 * `throwIf`, and of `formatQuery`, whose error ClickHouse ends with the query or function around it.
 */
function positionIn(message: string): { readonly line?: number; readonly column?: number } {
  if (/: (?:In scope|while executing) /i.test(message)) return {};
  const [, line, column] = /\(line (\d+), col (\d+)\)/.exec(message) ?? [];
  return line === undefined ? {} : { line: Number(line), column: Number(column) };
}

/** ClickHouse reports writes with this type, and also the settings of the adapter if it may not change them. */
function readonlyFailure(message: string, source: string): StatementError {
  if (!/Cannot modify '\w+' setting/.test(message)) return failure("StatementNotAllowed", "USER", message);
  const advice = `give the user of the data source ${source} a profile with readonly=0, and rights that only read`;
  return failure("DataSourceRefused", "DATA_SOURCE", `ClickHouse refused a setting: ${message}; ${advice}.`);
}

/** Returns UnknownTable for `UNKNOWN_TABLE`. */
function toName(type: string): string {
  if (!/^[A-Z][A-Z0-9_]*$/.test(type)) return "ClickHouseError";
  return type.toLowerCase().replaceAll(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** Creates a failure of the adapter itself. */
export function failure(
  name: string,
  category: Category,
  message: string,
  data: Partial<StatementFailure["data"]> = {},
): StatementError {
  return new StatementError({ name, message, data: { category, engine: "clickhouse", retryable: false, ...data } });
}
