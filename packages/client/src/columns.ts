import type { DeadlineOptions } from "./deadline.ts";
import type { QueryResult } from "./query-result.ts";
import { keysOfPage, objectReader } from "./row.ts";

/** The values of a result by column, for charts: row key -> value of each row. */
export async function columnsOf(
  { first, pages }: Pick<QueryResult, "first" | "pages">,
  options?: DeadlineOptions,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const keys = keysOfPage(first);
  const columns = new Map<string, unknown[]>(keys.map((key) => [key, []]));
  const objectOf = objectReader(keys);
  for await (const { rows } of pages(options)) {
    for (const row of rows.map(objectOf)) for (const [key, values] of columns) values.push(row[key]);
  }
  return columns;
}
