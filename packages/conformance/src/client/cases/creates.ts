import type { AdversaryCase, Fault } from "../case.ts";
import { beyondRate, brief, error, html, never, paged, querying, result } from "./asks.ts";

const create = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  querying(name, [{ on: "createQueryRun", ...fault }], end, more);
const again = { sends: { createQueryRun: 2 } };
/** It learns which members the server does not know. */
const strict = { service: "strict", ...again, level: "should" } as const;

/** A query whose create goes wrong. */
export const createCases: readonly AdversaryCase[] = [
  querying("a query on a good network", [], "right"),
  querying("a query on a server of three methods", [], "right", strict),
  querying("pages from a server of three methods", [], "right", { ...paged, ...strict }),
  create(
    "a query's create met by HTTP 503 with a time to come again",
    { status: 503, headers: { "retry-after": "0" }, body: html },
    "right",
    again,
  ),
  create(
    "a query's create met by HTTP 503 of a gateway, which may have passed it on",
    { status: 503, body: html },
    "http 503",
    {
      sends: { createQueryRun: 1 },
    },
  ),
  create("a query's create reset without an answer", { travel: "no answer, reset" }, "network"),
  create("a query's create answered with HTML", { body: html }, "protocol"),
  create("a query's create answered with null", { body: result("null") }, "protocol"),
  create("a create answered without a run", { body: result("{}") }, "protocol"),
  create("a create answered with members null", { body: result('{"queryRequest":null,"queryRun":null}') }, "protocol"),
  create("a run id that is no text", { body: result('{"queryRequest":{"queryRunId":{}}}') }, "right or protocol"),
  create(
    "a create at the limit of runs",
    { body: error('{"code":-32171,"message":"busy","data":{"currentlyRunning":5,"maxConcurrentRuns":5}}') },
    "right",
    again,
  ),
  create(
    "a create at the limit of runs, said without data",
    { body: error('{"code":-32171,"message":"busy"}') },
    "right",
    again,
  ),
  create("a create beyond the rate", { body: error(beyondRate) }, "right", again),
  create("a source that is not there", { body: error('{"code":-32164,"message":"no source"}') }, "rpc -32164"),
  create("an answer to a create after the caller gave up", { delayMs: 30 }, "aborted", {
    abort: true,
    alsoSends: ["cancelQueryRun"],
  }),
  create("silence to a create that the caller gave up", { travel: "silence", ...never }, "aborted", {
    ...brief,
    abort: true,
    alsoSends: ["cancelQueryRun"],
  }),
  querying(
    "a withdrawal by key on a service that knows none",
    [
      { on: "createQueryRun", delayMs: 100 },
      { on: "cancelQueryRun", body: error('{"code":-32602,"message":"no idempotencyKey"}') },
    ],
    "aborted",
    { abort: true, alsoSends: ["cancelQueryRun"], sends: { createQueryRun: 1, cancelQueryRun: 2 } },
  ),
  create("silence to a create", { travel: "silence", ...never }, "timeout", brief),
];
