import { Agent } from "node:http";
import { servedPages } from "../large-result/written-pages.ts";
import { post, reusedSql } from "../reused-creates/reused-creates.ts";
import { tenColumnsSql } from "../rows/rows.ts";
import { finishedRun, type Service } from "../service.ts";
import { callerOf } from "../small-runs/small-runs.ts";

const CALLERS = 16;
const PAGE_ROWS = 1_000;
const PAGES = 100;

/** Calls that are measured. */
export const callKinds = {
  reused: "reused creates",
  small: "small runs",
  pages: `pages of ${PAGE_ROWS} rows of 10 columns`,
} as const;

export type CallKind = keyof typeof callKinds;

/** Callers of each kind, each with its next call. */
export interface Callers extends Disposable {
  readonly of: Readonly<Record<CallKind, readonly (() => Promise<unknown>)[]>>;
}

let lastStatement = 0;

/** Spreads 16 callers over servers, and creates the results that they read. */
export async function createCallers(services: readonly [Service, ...Service[]]): Promise<Callers> {
  const [first] = services;
  await finishedRun(first.client, reusedSql);
  const pagedRun = await finishedRun(first.client, tenColumnsSql(PAGES * PAGE_ROWS));
  const agent = new Agent({ keepAlive: true });
  const spread = (callOn: (service: Service) => () => Promise<unknown>) =>
    Array.from({ length: CALLERS }, (_, index) => callOn(services[index % services.length] ?? first));
  return {
    of: {
      reused: spread(({ url, apiKey }) => {
        return () => post(url, apiKey, agent);
      }),
      small: spread(({ client }) => {
        const runOnce = callerOf(client);
        return () => runOnce(`select ${++lastStatement} as n`);
      }),
      pages: spread((service) => {
        const read = servedPages(service, pagedRun);
        return () => read(1 + Math.floor(Math.random() * PAGES), PAGE_ROWS);
      }),
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
