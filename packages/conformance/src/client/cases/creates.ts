import type { AdversaryCase, Fault } from "../case.ts";
import { always, error, html, paged, queryCase, rateLimited, result, shortTimeout } from "./requests.ts";

const create = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  queryCase(name, [{ on: "createQueryRun", ...fault }], end, more);
const again = { maxSends: { createQueryRun: 2 } };
/**
 * Service with three methods. A client may repeat `createQueryRun` twice, without the members that the server refused:
 * first without `results`, under the same idempotency key, then without the key.
 */
const basic = { service: "basic", maxSends: { createQueryRun: 3 }, level: "should" } as const;

/** Queries on a good network, on a server with three methods, and with a fault in the response to `createQueryRun`. */
export const createCases: readonly AdversaryCase[] = [
  queryCase("query on a good network", [], "right"),
  queryCase("query on a server with three methods", [], "right", basic),
  queryCase("pages of a server with three methods", [], "right", { ...paged, ...basic }),
  create(
    "create of a query answered with HTTP 503 and Retry-After",
    { status: 503, headers: { "retry-after": "0" }, body: html },
    "right",
    again,
  ),
  create("create of a query answered with HTTP 503 without Retry-After", { status: 503, body: html }, "http 503", {
    maxSends: { createQueryRun: 1 },
  }),
  create("create of a query reset without a response", { connection: "reset" }, "network"),
  create("create of a query answered with HTML", { body: html }, "protocol"),
  create("create of a query answered with null", { body: result("null") }, "protocol"),
  create("create answered without a run", { body: result("{}") }, "protocol"),
  create("create answered with null members", { body: result('{"queryRequest":null,"queryRun":null}') }, "protocol"),
  create("run id that is not a string", { body: result('{"queryRequest":{"queryRunId":{}}}') }, "right or protocol"),
  create(
    "create at the limit of runs",
    { body: error('{"code":-32171,"message":"busy","data":{"currentlyRunning":5,"maxConcurrentRuns":5}}') },
    "right",
    again,
  ),
  create(
    "create at the limit of runs without data",
    { body: error('{"code":-32171,"message":"busy"}') },
    "right",
    again,
  ),
  create("create beyond the rate limit", { body: error(rateLimited) }, "right", again),
  create("unknown data source", { body: error('{"code":-32164,"message":"no source"}') }, "rpc -32164"),
  create("create answered after the caller aborts", { delayMs: 30 }, "aborted", {
    abort: true,
    mustSend: ["cancelQueryRun"],
  }),
  create("create without a response when the caller aborts", { connection: "hang", ...always }, "aborted", {
    ...shortTimeout,
    abort: true,
    mustSend: ["cancelQueryRun"],
  }),
  queryCase(
    "cancel by idempotency key refused",
    [
      { on: "createQueryRun", delayMs: 100 },
      {
        on: "cancelQueryRun",
        param: "idempotencyKey",
        body: error('{"code":-32602,"message":"no idempotencyKey"}'),
      },
    ],
    "aborted",
    { abort: true, mustSend: ["cancelQueryRun"], maxSends: { createQueryRun: 1, cancelQueryRun: 2 } },
  ),
  create("create without a response", { connection: "hang", ...always }, "timeout", shortTimeout),
];
