import { type Client, checkParameters } from "@quern/client";
import type { RowsQuery } from "./rows-query.ts";

/**
 * Returns the prefix of all keys of one service and one cache scope:
 * `queryClient.invalidateQueries({ queryKey: serviceKey(client) })`. A server and its pages have the same prefix if
 * their clients have the same `url` and `cacheScope`.
 */
export function serviceKey(client: Client) {
  return ["quern", client.url, client.cacheScope] as const;
}

/** Returns the key of a call, e.g. `[…service, "getQueryRun", { queryRunId }]`; without params, the prefix of all calls of the method. */
export function methodKey<Params>(client: Client, method: string, ...params: readonly Params[]) {
  return [...serviceKey(client), method, ...params] as const;
}

/** Members that set how a result is obtained, stored and read. All other members identify the statement. */
const readingMembers = /^(maxAgeMinutes|resultTTLHours|filters|sortBy|format|pageSize|maxRows|schema|schemaKey)$/;

/**
 * Returns the prefix of the keys of all views of a statement: its rows in every order, filter and page size.
 * `queryClient.invalidateQueries({ queryKey: statementKey(client, query) })` runs the statement anew.
 * @throws {TypeError} for parameters that JSON cannot hold: their key would be that of null.
 */
export function statementKey<Row>(client: Client, query: RowsQuery<Row>): readonly unknown[] {
  checkParameters(query.parameters);
  // `Object.entries` omits the symbol of an `sql` fragment, which a server component cannot pass to the page.
  const statement = Object.entries(query).filter(([name]) => !readingMembers.test(name));
  return methodKey(client, "query", Object.fromEntries(statement));
}

/**
 * Returns the key of a view. Rows that a schema has parsed have another key than those without one.
 * @param kind Form of the data: the whole result, or its pages.
 * @param view Members of the query that tell its views apart.
 */
export function viewKey<Row>(
  statementKey: readonly unknown[],
  kind: string,
  { schema, schemaKey = "" }: RowsQuery<Row>,
  view: Partial<RowsQuery>,
): readonly unknown[] {
  // As texts, because NaN and the infinities would be null in a key.
  const text = JSON.stringify(view.filters, (_, value) =>
    typeof value === "number" && !Number.isFinite(value) ? `${value}` : value,
  );
  const shown = text ? { ...view, filters: JSON.parse(text) } : view;
  return [...statementKey, kind, ...(schema ? [schemaKey] : []), shown];
}
