import type { Exchanged, Json, Mutation } from "./proxy.ts";

/** Fault of a server that an implementer may not notice, and the check that catches it. */
export interface Mutant {
  readonly name: string;
  readonly caughtBy: string;
  /** Creates the mutation, with its own memory. */
  readonly mutation: () => Mutation;
}

type Change = (changed: { readonly result: Json; readonly params: Json; readonly reply: Json }) => void;

/** Changes the results of a method. */
export function results(method: string, change: Change): () => Mutation {
  return () => ({ reply: (exchanged) => changeResult(method, change, exchanged) });
}

function changeResult(method: string, change: Change, { call, reply }: Exchanged): void {
  if (call.method === method && reply.result != null)
    change({ result: reply.result, params: call.params[0] ?? {}, reply });
}

/** Changes pages of rows. */
export const pages = (change: Change) => results("getQueryRunResults", change);

/** Changes each value of the rows of a page. */
export const cells = (change: (value: Json) => Json) =>
  pages(({ result }) => {
    const row = (one: Json): Json =>
      Array.isArray(one)
        ? one.map(change)
        : Object.fromEntries(Object.entries(one).map(([name, value]) => [name, change(value)]));
    result.rows = result.rows.map(row);
  });

/** Changes the params of a method before the service gets them. */
export const params = (method: string, change: (params: Json) => void) => (): Mutation => ({
  call: (call) => {
    if (call.method === method && call.params[0] !== undefined) change(call.params[0]);
  },
});

/** Changes the run in the answers of all methods. */
export const runs = (change: (run: Json) => void) => (): Mutation => ({
  reply: ({ reply }) => {
    const { queryRun, canceledQueryRun, originalQueryRun, queryRuns = [] } = reply.result ?? {};
    for (const run of new Set([queryRun, canceledQueryRun, originalQueryRun, ...queryRuns])) if (run) change(run);
  },
});

export const number = ({ page }: Json): number => page?.number ?? 1;

export function mutant(name: string, caughtBy: string, mutation: () => Mutation): Mutant {
  return { name, caughtBy, mutation };
}
