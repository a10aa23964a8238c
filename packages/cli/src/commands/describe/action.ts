import { type Client, describeQuery } from "@quern/client";
import { allTables, type Tables } from "../../catalog/list-tables.ts";
import { isNameOf, partsOf } from "../../catalog/table-name.ts";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { writeRows } from "../../output/rows.ts";
import { isReadingStatement } from "../../statement/query-words.ts";
import type { TablesFlags } from "../tables/action.ts";

/** Number of names that an error suggests. */
const suggestedNames = 3;

export const runDescribe = commandFunction(async (context: Context, flags: TablesFlags, subject: string) => {
  const client = await connect(flags, context);
  const { columns, keys, names } = isReadingStatement(subject)
    ? await columnsOfStatement(client, flags, subject)
    : await columnsOfTable(client, flags, subject);
  const rows = columns.map(({ name, engineType, nullable, comment }) => {
    const key = keys.includes(name) ? "primary" : null;
    return { name, type: engineType, nullable, key, comment };
  });
  await writeRows(context, flags, names, rows);
});

async function columnsOfStatement(client: Client, flags: TablesFlags, sql: string) {
  const { dataSource, dataProvider } = flags;
  const { columns } = await describeQuery(client, { sql, dataSource, dataProvider }, timeoutOf(flags));
  return { columns, keys: [], names: ["name", "type", "nullable"] };
}

/** @throws {UsageError} No table has the name, or several have it. */
async function columnsOfTable(client: Client, flags: TablesFlags, name: string) {
  const { dataSource, dataProvider } = flags;
  const search = partsOf(name).at(-1)?.slice(0, 256) || undefined;
  const tables = await allTables(client, { dataSource, dataProvider, search }, timeoutOf(flags));
  const [table, ...others] = tables.filter((each) => isNameOf(name, each));
  if (table === undefined) {
    const similar = await similarNames(name, tables, (start) =>
      allTables(client, { dataSource, dataProvider, search: start }, timeoutOf(flags)),
    );
    const advice = similar.length === 0 ? "`quern tables` lists the tables" : `did you mean ${similar.join(", ")}?`;
    throw new UsageError(`unknown table: ${name}; ${advice}`);
  }
  if (others.length > 0) {
    const places = [table, ...others].map(
      (each) => `${each.catalog}.${each.schema}.${each.name} of ${each.dataSource}`,
    );
    throw new UsageError(`ambiguous table: ${name} is ${places.join(" or ")}; write it so, or pass --data-source`);
  }
  return {
    columns: table.columns,
    keys: table.primaryKey ?? [],
    names: ["name", "type", "nullable", "key", "comment"],
  };
}

/** Letters that a name needs in common with another one, from its start, to be suggested. */
const commonLetters = 3;

/** Returns names that contain the unknown name, else names that begin as it does. */
async function similarNames(name: string, found: Tables, search: (start: string) => Promise<Tables>) {
  const start = (partsOf(name).at(-1) ?? "").slice(0, commonLetters).toLowerCase();
  const hasStart = (each: Tables[number]) => each.name.toLowerCase().startsWith(start);
  const tables = found.length > 0 || start.length < commonLetters ? found : (await search(start)).filter(hasStart);
  return [...new Set(tables.map((each) => each.name))].slice(0, suggestedNames);
}
