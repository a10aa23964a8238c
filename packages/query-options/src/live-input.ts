import type { Client } from "@quern/client";
import type { Query, QueryKey } from "@tanstack/query-core";
import { type ReadInput, readInput } from "./open-run.ts";
import type { Current, Enqueue } from "./panel-queue.ts";
import type { RowsQuery } from "./rows-query.ts";
import type { ShownInput } from "./run-handle.ts";

/** Input of the fetches of a component, and the options that are derived from it. Its members are reactive. */
export interface LiveInput<Row, Options> extends ShownInput<Row> {
  readonly derived: Options;
}

export interface DerivedInput<Row, Options> {
  readonly input: ReadInput<Row>;
  readonly derived: Options;
}

/** Returns the input of a fetch with the present values of a query, whose arrays and objects a page may change in place. */
export function derivedInput<Row, Options>(
  client: Client,
  query: RowsQuery<Row>,
  enqueue: Enqueue,
  shown: Current<Query | undefined>,
  optionsOf: (input: ReadInput<Row>) => Options,
): DerivedInput<Row, Options> {
  // A schema is compared by identity.
  const { schema, ...values } = query;
  const input = readInput<Row>(client, { ...copied(values), schema }, enqueue);
  return { input, derived: optionsOf({ ...input, shown }) };
}

function copied<Value>(value: Value): Value;
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => copied(member));
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]));
}

/** Returns an input whose members read the latest one. */
export function liveInput<Row, Options extends { readonly queryKey: QueryKey }>(
  shown: { current: Query | undefined },
  latest: () => DerivedInput<Row, Options>,
): LiveInput<Row, Options> {
  return {
    shown,
    get request() {
      return latest().input.request;
    },
    get statementKey() {
      return latest().input.statementKey;
    },
    get queryKey() {
      return latest().derived.queryKey;
    },
    get derived() {
      return latest().derived;
    },
  };
}
