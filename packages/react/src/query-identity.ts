import type { Query } from "@quern/client";

const numbers = /*@__PURE__*/ new WeakMap<object, number>();
let lastNumber = 0;

/** A schema has no value that a key could hold, so each gets a number when it is first seen. */
function numberOf(schema: object): number {
  const number = numbers.get(schema) ?? ++lastNumber;
  numbers.set(schema, number);
  return number;
}

/** What tells one query from another, as plain data: rows that another schema has checked are other rows. */
export function queryIdentity<Row>({ schema, ...identity }: Query<Row>) {
  return schema ? { ...identity, schema: numberOf(schema) } : identity;
}
