import type { ClickHouseSettings } from "@clickhouse/client";
import type { Statement } from "@quern/adapter";

/** Format of all results: a row of names, a row of types, and rows, each as a JSON array on a line of its own. */
export const resultFormat = "JSONCompactEachRowWithNamesAndTypes";

/** Settings of each query. They let ClickHouse write values as the Parquet writer reads them. */
const settings: ClickHouseSettings = {
  readonly: "1",
  default_format: resultFormat,
  // An error is the status of the response, because it is sent when the query has ended.
  wait_end_of_query: 1,
  http_write_exception_in_output_format: 0,
  cancel_http_readonly_queries_on_client_close: 1,
  session_timezone: "UTC",
  date_time_output_format: "iso",
  print_pretty_type_names: 0,
  // Integers have no quotes, so that members of a JSON value stay numbers. Decimals and NaN are written in quotes.
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  output_format_json_named_tuples_as_objects: 0,
  // A string that is not UTF-8 fails the run. With the validation, its bytes would be replaced without notice.
  output_format_json_validate_utf8: 0,
};

/** Returns the settings of a query. @param seconds time after which ClickHouse ends it */
export function querySettings(seconds: number): ClickHouseSettings {
  return { ...settings, max_execution_time: Math.ceil(seconds) };
}

/** Returns the settings of the query of a run, which show in the log of ClickHouse who runs it and why. */
export function statementSettings(statement: Statement): ClickHouseSettings {
  const { runId, tenantId, userId, tags = {}, traceparent, limits } = statement;
  const comment = { queryRunId: runId, tenantId, userId, tags, ...(traceparent === undefined ? {} : { traceparent }) };
  return {
    ...querySettings(limits.timeoutSeconds),
    ...(Number.isFinite(limits.maxResultRows)
      ? { max_result_rows: String(limits.maxResultRows), result_overflow_mode: "throw" }
      : {}),
    log_comment: JSON.stringify(comment),
  };
}
