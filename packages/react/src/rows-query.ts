import type { Query, RowOptions, UntypedRow } from "@quern/client";

/** A query, and the schema that its rows are checked by. */
export interface RowsQuery<Row = UntypedRow> extends Query, RowOptions<Row> {}
