import type { CallOptions, Client } from "@quern/client";
import { UsageError } from "../errors/cli-error.ts";
import { allTables, type Tables } from "./list-tables.ts";
import { isNameOf, partsOf } from "./table-name.ts";

/** Data source to look in. */
interface TableSource {
  readonly dataSource?: string | undefined;
  readonly dataProvider?: string | undefined;
}

type Columns = readonly Omit<Tables[number]["columns"][number], "type">[];

/** Number of names that an error suggests. */
const suggestedNames = 3;

/** Returns columns as rows. @param keys Names of the columns of the primary key. */
export function columnRows(columns: Columns, keys: readonly string[] = []) {
  return columns.map(({ name, engineType, nullable, comment }) => {
    const key = keys.includes(name) ? "primary" : null;
    return { name, type: engineType, nullable, key, comment };
  });
}

/** Returns the columns of a table as rows. @throws {UsageError} No table has the name, or several have it. */
export async function columnsOfTable(
  client: Client,
  { dataSource, dataProvider }: TableSource,
  name: string,
  options: CallOptions,
) {
  const search = partsOf(name).at(-1)?.slice(0, 256) || undefined;
  const tables = await allTables(client, { dataSource, dataProvider, search }, options);
  const [table, ...others] = tables.filter((each) => isNameOf(name, each));
  if (table === undefined) {
    const similar = await similarNames(name, tables, (start) =>
      allTables(client, { dataSource, dataProvider, search: start }, options),
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
    names: ["name", "type", "nullable", "key", "comment"],
    rows: columnRows(table.columns, table.primaryKey),
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
