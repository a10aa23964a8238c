import type { AdversaryCase, Fault } from "../case.ts";
import { exampleRun } from "../truth.ts";
import { beyondRate, brief, error, html, never, querying, result } from "./asks.ts";

const poll = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  querying(name, [{ on: "getQueryRun", ...fault }], end, more);
/** A run as the document has it, in this state and with these members. */
const run = (state: unknown, members: object = {}) => {
  const queryRun = { ...exampleRun("run of select 1", String(state)), state, ...members };
  return { body: result(JSON.stringify({ queryRun, redirectedToQueryRun: null })) };
};
const withdraws = { alsoSends: ["cancelQueryRun"] };
const withdrawing = (name: string, fault: Fault) =>
  querying(
    name,
    [
      { on: "getQueryRun", travel: "silence" },
      { on: "cancelQueryRun", ...fault },
    ],
    "aborted",
    {
      abort: true,
      ...withdraws,
    },
  );

/** Query whose run is polled until it has ended. */
export const lookCases: readonly AdversaryCase[] = [
  poll("a state nobody knows", run("QUERY_STATE_HIBERNATING"), "right"),
  poll("a final state in lower case", run("query_state_failed"), "right"),
  poll("a state that is an object's name", run("constructor"), "right"),
  poll("a run without a state", run(undefined, { rowCount: 3 }), "right or protocol"),
  poll("an answer without the run", { body: result("{}"), ...never }, "protocol"),
  poll("a run that is null", { body: result('{"queryRun":null}'), ...never }, "protocol"),
  poll("a poll answered with null", { body: result("null"), ...never }, "protocol"),
  poll("a failed run", run("QUERY_STATE_FAILED", { errorName: "X", errorMessage: "no table" }), "failed"),
  poll("a failed run without a reason", run("QUERY_STATE_FAILED", { errorName: null, errorMessage: null }), "failed"),
  poll("an odd reason", run("QUERY_STATE_FAILED", { errorName: 7, errorMessage: { a: [] } }), "failed"),
  poll("a canceled run", run("QUERY_STATE_CANCELED"), "canceled"),
  poll("a poll met by HTTP 502", { status: 502, body: html }, "right"),
  poll("three polls met by HTTP 502", { status: 502, body: html, times: 3 }, "right"),
  poll("a poll met by HTTP 504 after a while", { status: 504, body: html, delayMs: 30 }, "right"),
  poll("a poll reset", { travel: "no answer, reset" }, "right"),
  poll("twelve polls reset, then a service that is back", { travel: "no answer, reset", times: 12 }, "right"),
  poll("twelve polls met by HTTP 502, then a service that is back", { status: 502, body: html, times: 12 }, "right"),
  querying(
    "a poll refused after an outage",
    [
      { on: "getQueryRun", travel: "no answer, reset", times: 12 },
      { on: "getQueryRun", status: 401, body: "" },
    ],
    "http 401",
  ),
  poll("a poll cut in the middle", { travel: "cut" }, "right"),
  poll("a run that is gone", { body: error('{"code":-32099,"message":"no such run"}') }, "rpc -32099"),
  poll("a poll that must not wait", { body: error('{"code":-32602,"message":"no waitSeconds"}') }, "right"),
  poll("a poll met by HTTP 500", { status: 500, body: html }, "right"),
  poll("a poll beyond the rate", { body: error(beyondRate) }, "right"),
  poll("silence to each poll", { travel: "silence", ...never }, "timeout", { ...brief, ...withdraws }),
  poll("a run that never ends", { ...run("QUERY_STATE_RUNNING"), ...never }, "timeout", {
    ...brief,
    ...withdraws,
  }),
  poll("a caller who gives up during a poll", { travel: "silence" }, "aborted", { abort: true, ...withdraws }),
  withdrawing("a withdrawal met by HTML", { body: html }),
  withdrawing("a withdrawal reset", { travel: "reset" }),
];
