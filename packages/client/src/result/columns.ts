import type { QueryResult } from "./query-result.ts";
import { checkSize, keysOfPage, objectReader, type WholeOptions } from "./row.ts";

/** The values of a result by column, for charts: row key -> value of each row. */
export async function columnsOf(
  { first, pages, queryRunId }: Pick<QueryResult, "first" | "pages"> & Partial<Pick<QueryResult, "queryRunId">>,
  { maxRows, ...deadline }: WholeOptions = {},
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const keys = keysOfPage(first);
  const columns = new Map<string, unknown[]>(keys.map((key) => [key, []]));
  const objectOf = objectReader(keys);
  for await (const page of pages(deadline)) {
    checkSize(page, maxRows, queryRunId);
    for (const row of page.rows.map(objectOf)) for (const [key, values] of columns) values.push(row[key]);
  }
  return columns;
}
