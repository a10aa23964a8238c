import type { Query, RowOptions, UntypedRow } from "@quern/client";

/** A query, and the schema that its rows are checked by. */
export interface RowsQuery<Row = UntypedRow> extends Query, RowOptions<Row> {
  /**
   * Most rows that `queryResultsOptions` and `useQueryResults` read. A larger result is an error before its rows are read.
   * @default 1,000,000
   */
  readonly maxRows?: number | undefined;
}
