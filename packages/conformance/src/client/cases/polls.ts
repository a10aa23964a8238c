import type { AdversaryCase, Fault } from "../case.ts";
import { exampleRun } from "../example-answers.ts";
import { always, error, html, queryCase, rateLimited, result, shortTimeout } from "./requests.ts";

const poll = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  queryCase(name, [{ on: "getQueryRun", ...fault }], end, more);
/** Response with the OpenRPC document's example of a run in this state; `members` replace some of its members. */
const run = (state: unknown, members: object = {}) => {
  const queryRun = { ...exampleRun("run of select 1", String(state)), state, ...members };
  return { body: result(JSON.stringify({ queryRun, redirectedToQueryRun: null })) };
};
const cancels = { mustSend: ["cancelQueryRun"] };
const canceling = (name: string, fault: Fault) =>
  queryCase(
    name,
    [
      { on: "getQueryRun", connection: "hang" },
      { on: "cancelQueryRun", ...fault },
    ],
    "aborted",
    {
      abort: true,
      ...cancels,
    },
  );

/** Queries with a fault in the response to a poll, or to the cancel after an abort. */
export const pollCases: readonly AdversaryCase[] = [
  poll("unknown run state", run("QUERY_STATE_HIBERNATING"), "right"),
  poll("final run state in lower case", run("query_state_failed"), "right"),
  poll("run state with an inherited name", run("constructor"), "right"),
  poll("run without a state", run(undefined, { rowCount: 3 }), "right or protocol"),
  poll("poll answered without the run", { body: result("{}"), ...always }, "protocol"),
  poll("poll answered with run null", { body: result('{"queryRun":null}'), ...always }, "protocol"),
  poll("poll answered with null", { body: result("null"), ...always }, "protocol"),
  poll("failed run", run("QUERY_STATE_FAILED", { errorName: "X", errorMessage: "no table" }), "failed"),
  poll("failed run without a reason", run("QUERY_STATE_FAILED", { errorName: null, errorMessage: null }), "failed"),
  poll(
    "failed run with a malformed reason",
    run("QUERY_STATE_FAILED", { errorName: 7, errorMessage: { a: [] } }),
    "failed",
  ),
  poll("canceled run", run("QUERY_STATE_CANCELED"), "canceled"),
  poll("poll answered with HTTP 502", { status: 502, body: html }, "right"),
  poll("three polls answered with HTTP 502", { status: 502, body: html, times: 3 }, "right"),
  poll("poll answered with HTTP 504 after a delay", { status: 504, body: html, delayMs: 30 }, "right"),
  poll("poll reset without a response", { connection: "reset" }, "right"),
  poll("twelve polls reset", { connection: "reset", times: 12 }, "right"),
  poll("twelve polls answered with HTTP 502", { status: 502, body: html, times: 12 }, "right"),
  queryCase(
    "poll refused with HTTP 401 after an outage",
    [
      { on: "getQueryRun", connection: "reset", times: 12 },
      { on: "getQueryRun", status: 401, body: "" },
    ],
    "http 401",
  ),
  poll("poll closed mid-body", { connection: "close-mid-body" }, "right"),
  poll("run not found", { body: error('{"code":-32099,"message":"no such run"}') }, "rpc -32099"),
  poll(
    "waitSeconds refused",
    { param: "waitSeconds", body: error('{"code":-32602,"message":"no waitSeconds"}') },
    "right",
  ),
  poll("poll answered with HTTP 500", { status: 500, body: html }, "right"),
  poll("poll beyond the rate limit", { body: error(rateLimited) }, "right"),
  poll("no response to any poll", { connection: "hang", ...always }, "timeout", { ...shortTimeout, ...cancels }),
  poll("run that never ends", { ...run("QUERY_STATE_RUNNING"), ...always }, "timeout", {
    ...shortTimeout,
    ...cancels,
  }),
  poll("abort during a poll", { connection: "hang" }, "aborted", { abort: true, ...cancels }),
  canceling("cancel answered with HTML", { body: html }),
  canceling("cancel reset mid-body", { connection: "reset-mid-body" }),
];
