import type { DeadlineOptions } from "./deadline.ts";
import { QuernError } from "./quern-error.ts";
import type { QueryResult } from "./query-result.ts";
import { type RowOptions, rowKeysOf, type UntypedRow } from "./row.ts";
import { rowsOf } from "./rows.ts";

/** The run that rows are of. */
export interface RunOfRows {
  readonly queryRunId: string;
  /** When the run ended, as ISO 8601; null where the service does not tell. */
  readonly asOf: string | null;
}

/** A whole result. Plain data: it survives JSON. */
export interface WholeResult<Row = UntypedRow> extends RunOfRows {
  /** As the statement names them; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Keys of the rows, in the order of `columnNames`: a repeated name gets `_2`. */
  readonly rowKeys: readonly string[];
  /** One of `string number date object array boolean unknown` for each column. */
  readonly columnTypes: readonly string[];
  readonly rows: readonly Row[];
}

export interface WholeResultOptions<Row = UntypedRow> extends RowOptions<Row>, DeadlineOptions {
  /**
   * Most rows that may be read. A larger result is an error before its rows are read.
   * @default 1,000,000
   */
  readonly maxRows?: number | undefined;
}

/**
 * Reads all rows of a result into memory.
 * @throws {QuernError} as `rowsOf` does, and `protocol` where there are more rows than `maxRows`.
 */
export async function wholeResultOf<Row = UntypedRow>(
  result: QueryResult,
  { maxRows = 1_000_000, ...options }: WholeResultOptions<Row> = {},
): Promise<WholeResult<Row>> {
  const { queryRunId, queryRun, columnNames, columnTypes, rowCount } = result;
  const rows: Row[] = [];
  for await (const row of rowsOf<Row>(result, options)) {
    rows.push(row);
    if (Math.max(rows.length, rowCount ?? 0) > maxRows) {
      const size = rowCount ?? `at least ${rows.length}`;
      const text = `Result too large for maxRows ${maxRows}: it has ${size} rows; limit the statement, read single pages, or raise maxRows`;
      throw new QuernError("protocol", text, { queryRunId });
    }
  }
  return { queryRunId, asOf: queryRun.endedAt ?? null, columnNames, rowKeys: rowKeysOf(result), columnTypes, rows };
}
