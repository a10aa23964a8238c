import { allTables } from "../../catalog/list-tables.ts";
import { nameMatcher, searchOf } from "../../catalog/table-name.ts";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import type { FormatFlags } from "../../output/flags.ts";
import { writeRows } from "../../output/rows.ts";

export interface TablesFlags extends ConnectionFlags, FormatFlags {
  readonly dataSource?: string;
  readonly dataProvider?: string;
}

const names = ["name", "schema", "catalog", "data_source", "columns", "rows", "comment"];

export const runTables = commandFunction(async (context: Context, flags: TablesFlags, pattern?: string) => {
  const client = await connect(flags, context);
  const { dataSource, dataProvider } = flags;
  const search = pattern === undefined ? undefined : searchOf(pattern);
  const tables = await allTables(client, { dataSource, dataProvider, search }, timeoutOf(flags));
  // The service also finds tables by the names of their columns.
  const shown = pattern === undefined ? tables : tables.filter(nameMatcher(pattern));
  const rows = shown.map(({ name, schema, catalog, dataSource: source, columns, rowEstimate, comment }) => {
    const place = { name, schema, catalog, data_source: source };
    return { ...place, columns: columns.length, rows: rowEstimate, comment };
  });
  await writeRows(context, flags, names, rows);
});
