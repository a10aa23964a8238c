import type { ResultColumn } from "@quern/query-run/record";

/** The column that ended the csv rows of the old service: the number of the row in the whole result, from 0. */
export const rowIndexColumn: ResultColumn = { name: "__row_index", kind: "number", engineType: "BIGINT" };
