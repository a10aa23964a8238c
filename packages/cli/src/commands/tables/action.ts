import { allTables, type Tables } from "../../catalog/list-tables.ts";
import { nameMatcher, searchOf } from "../../catalog/table-name.ts";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { withProfileFormat } from "../../connection/resolve.ts";
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
  const shown = pattern === undefined ? tables : matching(tables, pattern, context);
  const rows = shown.map(({ name, schema, catalog, dataSource: source, columns, rowEstimate, comment }) => {
    const place = { name, schema, catalog, data_source: source };
    return { ...place, columns: columns.length, rows: rowEstimate, comment };
  });
  await writeRows(context, await withProfileFormat(context, flags), names, rows);
});

/** Returns the tables with a matching name or, if there are none, those with a matching column. */
function matching(tables: Tables, pattern: string, { process: { stderr } }: Context): Tables {
  const isMatch = nameMatcher(pattern);
  const byName = tables.filter(isMatch);
  if (byName.length > 0) return byName;
  const none = { dataSource: "", catalog: "", schema: "" };
  const byColumn = tables.filter(({ columns }) => columns.some(({ name }) => isMatch({ ...none, name })));
  if (byColumn.length > 0) stderr.write(`no table is named ${pattern}; these have a column of this name\n`);
  return byColumn;
}
