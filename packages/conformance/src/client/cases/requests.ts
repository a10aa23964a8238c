import type { AdversaryCase, Fault } from "../case.ts";

export const poll = { method: "getQueryRun", params: { queryRunId: "a" } };
export const otherPoll = { method: "getQueryRun", params: { queryRunId: "b" } };
export const create = {
  method: "createQueryRun",
  params: { sql: "select 1", resultTTLHours: 1, maxAgeMinutes: 0, tags: {}, dataSource: "main", dataProvider: "main" },
};
export const firstPage = {
  method: "getQueryRunResults",
  params: { queryRunId: "a", format: "csv", page: { number: 1, size: 100 } },
};

/** Deadline in milliseconds for cases that test the deadline itself. */
export const shortTimeoutMs = 60;
export const html = "<html><body><h1>502 Bad Gateway</h1></body></html>";
export const always = { times: "ever" } as const;
/** Allows one `createQueryRun` and one `getQueryRun`, because a retry cannot help or does harm. */
export const sentOnce = { maxSends: { createQueryRun: 1, getQueryRun: 1 } };
export const rateLimited = '{"code":-32029,"message":"slow down","data":{"retryAfterMs":1}}';

export const result = (json: string) => `{"jsonrpc":"2.0","id":{id0},"result":${json}}`;
export const error = (json: string) => `{"jsonrpc":"2.0","id":{id0},"error":${json}}`;

/** Case of a single `getQueryRun`. */
export function pollCase(name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}): AdversaryCase {
  return { name, calls: [poll], faults: [fault], endings: [end], ...more };
}

/** Case of a statement that is run to its rows. */
export function queryCase(name: string, faults: readonly Fault[], end: string, more: Partial<AdversaryCase> = {}) {
  const maxSends = { createQueryRun: 1 };
  return { name, query: { sql: "select 1" }, faults, endings: [end], maxSends, ...more } satisfies AdversaryCase;
}

/** Statement whose rows come in several pages. */
export const paged = { query: { sql: "select 1", pageSize: 2 } };
/** The response is correct, so every client must succeed. */
export const must = { level: "must" } as const;
/** Short deadline of a query in milliseconds, which is long enough to reach its fault. */
export const shortTimeout = { timeoutMs: 150 };
