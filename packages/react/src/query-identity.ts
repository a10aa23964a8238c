import type { RowsQuery } from "./rows-query.ts";

/** The schemas that each statement is read by, in the order in which they were first seen. */
const numbers = /*@__PURE__*/ new Map<string, { last: number; of: WeakMap<object, number> }>();

/**
 * A schema has no value that a key could hold, so that it is numbered; for each statement, because a server and its page
 * meet different ones, or the same in another order.
 */
function numberOf(schema: object, sql: string): number {
  const seen = numbers.get(sql) ?? { last: 0, of: new WeakMap() };
  numbers.set(sql, seen);
  const number = seen.of.get(schema) ?? ++seen.last;
  seen.of.set(schema, number);
  return number;
}

/** What tells one query from another, as plain data: rows that another schema has checked are other rows. */
export function queryIdentity<Row>({ schema, ...query }: RowsQuery<Row>) {
  // The symbol of an `sql` fragment is no data: what a server component hands to the page must not have one.
  const identity = Object.fromEntries(Object.entries(query));
  return schema ? { ...identity, schema: numberOf(schema, query.sql) } : identity;
}
