import type { Client } from "@quern/client";
import type { RowsQuery } from "./rows-query.ts";

/**
 * Everything of one service and one scope starts with this key:
 * `queryClient.invalidateQueries({ queryKey: serviceKey(client) })`. It is the same on a server and in its pages.
 */
export function serviceKey(client: Client) {
  return ["quern", client.url, client.scope] as const;
}

/** Key of a call, e.g. `[…service, "getQueryRun", { queryRunId }]`; without params it stands for all calls of the method. */
export function methodKey<Params>(client: Client, method: string, ...params: readonly Params[]) {
  return [...serviceKey(client), method, ...params] as const;
}

/** The schemas of one statement, numbered in the order in which they were first seen. */
interface Schemas {
  last: number;
  readonly numbers: WeakMap<object, number>;
}

/** Held weakly: a statement is forgotten with the last options, and so with the last cached query, that use it. */
const statements = /*@__PURE__*/ new Map<string, WeakRef<Schemas>>();

function schemasOf(sql: string): Schemas {
  const known = statements.get(sql)?.deref();
  if (known) return known;
  for (const [key, schemas] of statements) if (!schemas.deref()) statements.delete(key);
  const schemas: Schemas = { last: 0, numbers: new WeakMap() };
  statements.set(sql, new WeakRef(schemas));
  return schemas;
}

/** Members that say how a result is obtained, kept and read. All others tell the statement. */
const readingMembers = /^(maxAgeMinutes|resultTTLHours|filters|sortBy|format|pageSize|maxRows|schema)$/;

/**
 * Returns the key that all views of a statement start with: its rows in every order, filter and page size.
 * `queryClient.invalidateQueries({ queryKey: statementKey(client, query) })` runs the statement anew.
 */
export function statementKey<Row>(client: Client, query: RowsQuery<Row>): readonly unknown[] {
  // The symbol of an `sql` fragment is no data: a server component must not hand it to the page.
  const statement = Object.entries(query).filter(([name]) => !readingMembers.test(name));
  return methodKey(client, "query", Object.fromEntries(statement));
}

/**
 * Returns the key of a view. Rows that another schema has checked are other rows, and a schema has no value that a key could
 * hold, so it is numbered; for each statement, because a server and its page meet different ones, or the same in another order.
 * @param kind Form of the data: the whole result, or its pages.
 * @param view Members of the query that tell its views apart.
 * @returns the key, and the schemas of the statement: hold them while the key is used, so that the number stays.
 */
export function viewKey<Row>(
  statementKey: readonly unknown[],
  kind: string,
  { sql, schema }: RowsQuery<Row>,
  view: Partial<RowsQuery>,
) {
  const key = [...statementKey, kind];
  if (!schema) return { queryKey: [...key, view] };
  const schemas = schemasOf(sql);
  if (!schemas.numbers.has(schema)) schemas.numbers.set(schema, ++schemas.last);
  return { queryKey: [...key, schemas.numbers.get(schema), view], schemas };
}
