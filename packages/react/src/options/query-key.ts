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

/** Numbers of the schemas of one statement, in the order of their first use. */
interface Schemas {
  last: number;
  readonly numbers: WeakMap<object, number>;
}

/** Schemas by statement. Weak references: an entry is collected with the last options, and so with the last cached query, that hold it. */
const statements = /*@__PURE__*/ new Map<string, WeakRef<Schemas>>();

function schemasOf(sql: string): Schemas {
  const known = statements.get(sql)?.deref();
  if (known) return known;
  for (const [key, schemas] of statements) if (!schemas.deref()) statements.delete(key);
  const schemas: Schemas = { last: 0, numbers: new WeakMap() };
  statements.set(sql, new WeakRef(schemas));
  return schemas;
}

/** Members that set how a result is obtained, stored and read. All other members identify the statement. */
const readingMembers = /^(maxAgeMinutes|resultTTLHours|filters|sortBy|format|pageSize|maxRows|schema)$/;

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
 * Returns the key of a view. Each schema parses rows of its own, and a key cannot hold a schema, so the key has its number. Schemas
 * are numbered for each statement, because a server and its page see the schemas of other statements in different orders.
 * @param kind Form of the data: the whole result, or its pages.
 * @param view Members of the query that tell its views apart.
 * @returns the key, and the schemas of the statement: hold them while the key is in use, so that the number stays the same.
 */
export function viewKey<Row>(
  statementKey: readonly unknown[],
  kind: string,
  { sql, schema }: RowsQuery<Row>,
  view: Partial<RowsQuery>,
) {
  const key = [...statementKey, kind];
  // As texts, because NaN and the infinities would be null in a key.
  const text = JSON.stringify(view.filters, (_, value) =>
    typeof value === "number" && !Number.isFinite(value) ? `${value}` : value,
  );
  const shown = text ? { ...view, filters: JSON.parse(text) } : view;
  if (!schema) return { queryKey: [...key, shown] };
  const schemas = schemasOf(sql);
  if (!schemas.numbers.has(schema)) schemas.numbers.set(schema, ++schemas.last);
  return { queryKey: [...key, schemas.numbers.get(schema), shown], schemas };
}
