import { setTimeout as sleep } from "node:timers/promises";
import { SlowAnswer, StepFailure } from "../server/check.ts";
import type { CallOutcome, Connection } from "../server/connection.ts";
import type { Contract } from "../server/document.ts";
import { isObject, type JsonObject, shortJson } from "../server/json.ts";
import { isRunSchema, itemSchema, memberSchema, runsIn } from "../server/schema-walk.ts";
import { differences } from "./answer-differences.ts";
import type { LedgerCall } from "./ledger.ts";

/** Repeats the calls of one session on a server. */
export interface Replay {
  /**
   * Makes a call. Returns the differences between the recorded answer and that of the server.
   * @throws SlowAnswer if the server is too slow, StepFailure if an answer breaks an invariant or a poll returns no run
   */
  problemsOf(call: LedgerCall): Promise<readonly string[]>;
  /** Returns the SQL text of the run that a call concerns; undefined if it is not known. */
  statementOf(call: LedgerCall): string | undefined;
}

export interface ReplayOptions {
  readonly connection: Connection;
  readonly contract: Contract;
  /** Prefix that makes idempotency keys unique to this replay. */
  readonly unique: string;
  /** Longest wait for the end of a run, in milliseconds. */
  readonly timeoutMs: number;
}

const pollMs = 50;

/** Matches the names of ids and cursors in the schemas of the OpenRPC document. */
const idName = /^id$|Id$|[cC]ursor$/;

export function createReplay({ connection, contract, unique, timeoutMs }: ReplayOptions): Replay {
  /** Id that the mock gave -> id that the server gave. */
  const serverIds = new Map<string, string>();
  /** Id of a run on the mock -> its SQL text. */
  const statements = new Map<string, string>();
  const final = new Set([...contract.methods.values()].flatMap(({ poll }) => poll?.final ?? []));
  const poller = [...contract.methods.values()].find(({ poll }) => poll !== undefined);
  const cancels = new Set([...contract.methods.values()].flatMap(({ name, cancels }) => (cancels ? [name] : [])));
  const resultSchema = (method: string) => contract.methods.get(method)?.result;

  /** Polls a run until it has ended. @throws SlowAnswer after the deadline, StepFailure if a poll does not return the run */
  async function ended(run: JsonObject): Promise<unknown> {
    const giveUpAt = performance.now() + timeoutMs;
    const name = poller?.name ?? "";
    for (;;) {
      const polled = await connection.call(name, { [poller?.poll?.id ?? ""]: run.id });
      const found = runsIn(contract, poller?.result, polled.result).find(({ id }) => id === run.id);
      if (found === undefined)
        throw new StepFailure([`${name}: expected the run ${shortJson(run.id)}, got ${outcomeText(polled)}`]);
      if (final.has(found.state)) return found;
      if (performance.now() > giveUpAt)
        throw new SlowAnswer([`the run ${shortJson(run.id)} has not ended within ${timeoutMs} ms`]);
      await sleep(pollMs);
    }
  }

  /**
   * Returns the actual value, in which each unfinished run whose recorded state is final is replaced by that run after
   * its end. Runs in lists stay as they are.
   */
  async function withEndedRuns(schema: unknown, recorded: unknown, actual: unknown): Promise<unknown> {
    if (schema === undefined || !isObject(actual) || !isObject(recorded)) return actual;
    const isUnfinished = isRunSchema(contract, schema) && final.has(recorded.state) && !final.has(actual.state);
    if (isUnfinished) return ended(actual);
    const members = Object.entries(actual).map(async ([name, value]) => {
      const other = Object.hasOwn(recorded, name) ? recorded[name] : undefined;
      return [name, await withEndedRuns(memberSchema(contract, schema, name), other, value)] as const;
    });
    return Object.fromEntries(await Promise.all(members));
  }

  /** Records the server's id for each id in a recorded result. */
  function recordIds(schema: unknown, recorded: unknown, actual: unknown): void {
    if (schema === undefined) return;
    if (Array.isArray(recorded) && Array.isArray(actual))
      for (const [index, item] of recorded.entries()) recordIds(itemSchema(contract, schema), item, actual[index]);
    if (!isObject(recorded) || !isObject(actual)) return;
    for (const [name, value] of Object.entries(recorded)) {
      const member = memberSchema(contract, schema, name);
      const other = Object.hasOwn(actual, name) ? actual[name] : undefined;
      if (member !== undefined && idName.test(name) && typeof value === "string" && typeof other === "string")
        serverIds.set(value, other);
      recordIds(member, value, other);
    }
  }

  /** Replaces the ids in the params of a call. Statements, filters and parameters stay as recorded. */
  function withServerIds({ method, params }: LedgerCall): unknown {
    const schema = contract.methods.get(method)?.params;
    if (!isObject(params)) return params;
    const members = Object.entries(params).map(([name, value]) => {
      const isId = idName.test(name) && memberSchema(contract, schema, name) !== undefined;
      return [name, isId && typeof value === "string" ? (serverIds.get(value) ?? value) : value] as const;
    });
    return Object.fromEntries(members);
  }

  async function answer(call: LedgerCall): Promise<CallOutcome> {
    const { method, result } = call;
    const params = withServerIds(call);
    const key =
      isObject(params) && typeof params.idempotencyKey === "string"
        ? { idempotencyKey: `${unique} ${params.idempotencyKey}`.slice(0, 128) }
        : {};
    // If the mock answered with an ended run, as with its rows, the call waits until that run has ended on the server.
    const isPoll = method === poller?.name || cancels.has(method);
    for (const run of isPoll ? [] : runsIn(contract, resultSchema(method), result))
      if (final.has(run.state) && serverIds.has(String(run.id)))
        await ended({ ...run, id: serverIds.get(String(run.id)) });
    return connection.call(method, isObject(params) ? { ...params, ...key } : params);
  }

  return {
    statementOf({ method, params, result }) {
      if (!isObject(params)) return undefined;
      if (typeof params.sql === "string") {
        for (const { id } of runsIn(contract, resultSchema(method), result)) statements.set(String(id), params.sql);
        return params.sql;
      }
      const ids = Object.entries(params).flatMap(([name, value]) => (idName.test(name) ? [String(value)] : []));
      return ids.flatMap((id) => statements.get(id) ?? [])[0];
    },
    async problemsOf(call) {
      const { method, result, error } = call;
      const outcome = await answer(call);
      // A run of the server may have ended before the cancel, which is then refused.
      const isEnded = cancels.has(method) && error === undefined && outcome.error !== undefined;
      if (isEnded && contract.methods.get(method)?.errors.has(outcome.error?.code ?? 0)) return [];
      if (outcome.error?.code !== error?.code) return [`expected ${outcomeText(call)}, got ${outcomeText(outcome)}`];
      if (error !== undefined) return [];
      const schema = resultSchema(method);
      const actual = await withEndedRuns(schema, result, outcome.result);
      recordIds(schema, result, actual);
      const problems = differences(contract, { schema, recorded: result, actual, pointer: "/result" });
      const messages = runsIn(contract, schema, actual).map(({ errorMessage }) => errorMessage);
      const reasons = messages.flatMap((text) => (typeof text === "string" ? [`the run failed: ${text}`] : []));
      return problems.length > 0 ? [...problems, ...reasons] : [];
    },
  };
}

function outcomeText({
  error,
  result,
}: {
  readonly error?: { readonly code: number };
  readonly result?: unknown;
}): string {
  return error === undefined ? `the result ${shortJson(result)}` : `the error ${error.code}`;
}
