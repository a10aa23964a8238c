import { createPost } from "../post.ts";
import { tenColumnsSql } from "../rows/rows.ts";
import { finishedRun, type Service } from "../service.ts";
import { callerOf } from "../small-runs/small-runs.ts";

const CALLERS = 16;
const PAGE_ROWS = 1_000;
const PAGES = 100;
/** Create that a stored result answers. */
const reused = { sql: "select 1 as n", maxAgeMinutes: 1_440, resultTTLHours: 1, tags: {} };

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
  await finishedRun(first.client, reused.sql);
  const queryRunId = await finishedRun(first.client, tenColumnsSql(PAGES * PAGE_ROWS));
  const posts = new Map(services.map((service) => [service, createPost(service.url, service.apiKey)]));
  async function post(service: Service, method: string, params: object): Promise<void> {
    const answer = await posts.get(service)?.post(method, params);
    if (answer === undefined || answer.includes('"error":')) throw new Error(`${method} answered ${answer}`);
  }
  const spread = (callOn: (service: Service) => () => Promise<unknown>) =>
    Array.from({ length: CALLERS }, (_, index) => callOn(services[index % services.length] ?? first));
  return {
    of: {
      reused: spread((service) => () => post(service, "createQueryRun", reused)),
      small: spread(({ client }) => {
        const runOnce = callerOf(client);
        return () => runOnce(`select ${++lastStatement} as n`);
      }),
      pages: spread((service) => () => {
        const page = { number: 1 + Math.floor(Math.random() * PAGES), size: PAGE_ROWS };
        return post(service, "getQueryRunResults", { queryRunId, page });
      }),
    },
    [Symbol.dispose]: () => {
      for (const each of posts.values()) each[Symbol.dispose]();
    },
  };
}
