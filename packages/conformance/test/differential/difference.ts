import { areEqual, isObject, valueAt } from "../../src/server/json.ts";
import type { Action } from "./action.ts";
import { createPlainAnswers } from "./plain-answer.ts";
import { type Side, sqlOf } from "./side.ts";

interface Asked {
  readonly run: unknown;
  readonly request: unknown;
  readonly statement: unknown;
  readonly isHeld: boolean;
}

/** Caller of one side, with the ids of its answers so far. */
interface Caller {
  readonly side: Side;
  readonly asked: Asked[];
  readonly plain: (value: unknown, isBegun: boolean) => unknown;
  cursor: unknown;
}

export interface Difference {
  readonly step: number;
  readonly action: Action;
  readonly answers: Readonly<Record<string, unknown>>;
}

let sequences = 0;

/** Performs the same actions on two sides until they differ. */
export async function differenceOf(
  actions: readonly Action[],
  sides: readonly [Side, Side],
): Promise<Difference | undefined> {
  sequences += 1;
  // A service serves many sequences, so each has its own statements, keys and tags.
  const sequence = `${process.pid}-${sequences}`;
  const callers = sides.map(
    (side): Caller => ({ side, asked: [], plain: createPlainAnswers().plain, cursor: undefined }),
  );
  try {
    for (const [step, action] of actions.entries()) {
      const answers = await Promise.all(callers.map((caller) => perform(action, caller, sequence)));
      if (areEqual(answers[0], answers[1])) continue;
      return { step, action, answers: Object.fromEntries(sides.map(({ name }, at) => [name, answers[at]])) };
    }
    return undefined;
  } finally {
    // Held runs would fill the service.
    for (const { side, asked } of callers)
      for (const { run, isHeld } of asked) if (isHeld) await send(side, "cancelQueryRun", { queryRunId: run });
  }
}

export async function send(side: Side, method: string, params: unknown): Promise<unknown> {
  return JSON.parse(await side.post(JSON.stringify({ jsonrpc: "2.0", method, params: [params], id: 1 })));
}

async function perform(action: Action, caller: Caller, sequence: string): Promise<unknown> {
  const { side, asked, plain } = caller;
  // Each step has its own instant, so that both sides agree on the order.
  await side.advance(action.do === "advance" ? action.seconds * 1000 : 1);
  const named = (of: number): Asked =>
    asked[of % (asked.length + 1)] ?? { run: "none", request: "none", statement: "none", isHeld: false };
  const call = async (method: string, params: unknown): Promise<unknown> =>
    plain(await send(side, method, params), false);

  switch (action.do) {
    case "advance":
      return undefined;
    case "create":
      return create(action, caller, sequence);
    case "poll":
      return call("getQueryRun", { queryRunId: named(action.of).run });
    case "statement":
      return call("getSqlStatement", { sqlStatementId: named(action.of).statement });
    case "describe":
      return call("describeQuery", { sql: sqlOf(action.kind, sequence) });
    case "download":
      return call("getQueryRunDownload", { queryRunId: named(action.of).run, format: action.format });
    case "cancel": {
      const request = action.request === null ? {} : { queryRequestId: named(action.request).request };
      return call("cancelQueryRun", { queryRunId: named(action.of).run, ...request });
    }
    case "results": {
      const { do: _, of, ...view } = action;
      return call("getQueryRunResults", { queryRunId: named(of).run, ...view });
    }
    case "list": {
      const { states, tag, limit, more } = action;
      const tags = { source: sequence, ...(tag !== null && { tag }) };
      const cursor = more && typeof caller.cursor === "string" ? { cursor: caller.cursor } : {};
      const answer = await send(side, "listQueryRuns", { tags, limit, ...(states && { states }), ...cursor });
      caller.cursor = valueAt(answer, "/result/nextCursor");
      return plain(answer, false);
    }
  }
}

/** Creates a run and waits until it has ended or is held. */
async function create(action: Extract<Action, { do: "create" }>, caller: Caller, sequence: string): Promise<unknown> {
  const { kind, maxAgeMinutes, resultTTLHours, key, tag, parameter } = action;
  const answer = await send(caller.side, "createQueryRun", {
    sql: sqlOf(kind, sequence),
    maxAgeMinutes,
    resultTTLHours,
    tags: { source: sequence, ...(tag !== null && { tag }) },
    ...(key !== null && { idempotencyKey: `${sequence} ${key}` }),
    ...(parameter !== null && { parameters: [parameter] }),
  });
  const result = valueAt(answer, "/result");
  if (!isObject(result)) return caller.plain(answer, false);
  const run = valueAt(result, "/queryRun/id");
  caller.asked.push({
    run,
    request: valueAt(result, "/queryRequest/id"),
    statement: valueAt(result, "/sqlStatement/id"),
    isHeld: kind === "held",
  });
  const ended = await waitForEnd(caller.side, run, kind === "held");
  return [caller.plain(answer, true), caller.plain(ended, false)];
}

async function waitForEnd(side: Side, queryRunId: unknown, isHeld: boolean): Promise<unknown> {
  for (;;) {
    const looked = await send(side, "getQueryRun", { queryRunId, ...(!isHeld && { waitSeconds: 50 }) });
    if (valueAt(looked, "/result/queryRun/state") !== "QUERY_STATE_READY") return looked;
    await new Promise(setImmediate);
  }
}
