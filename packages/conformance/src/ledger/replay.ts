import { setTimeout as sleep } from "node:timers/promises";
import { StepFailure } from "../server/check.ts";
import type { Connection, Ending } from "../server/connection.ts";
import type { Contract } from "../server/document.ts";
import { isObject, type JsonObject, shortJson } from "../server/json.ts";
import { isRunSchema, itemSchema, memberSchema, runsIn } from "../server/schema-walk.ts";
import { differences } from "./answer-differences.ts";
import type { LedgerCall } from "./ledger.ts";

/** Repeats the calls of one consumer on a real server. */
export interface Replay {
  /** Differences between the server's answer and what the consumer relies on. */
  problemsOf(call: LedgerCall): Promise<readonly string[]>;
  /** SQL text of the run that a call concerns. */
  statementOf(call: LedgerCall): string | undefined;
}

export interface ReplayOptions {
  readonly connection: Connection;
  readonly contract: Contract;
  /** Makes idempotency keys new. */
  readonly unique: string;
  /** Longest time that a run may take, in milliseconds. */
  readonly timeoutMs: number;
}

const everyMs = 50;

/** Identifiers and cursors, by their names in the schemas of the document. */
const identifier = /^id$|Id$|[cC]ursor$/;

export function createReplay({ connection, contract, unique, timeoutMs }: ReplayOptions): Replay {
  /** Identifier of the mock -> identifier of the server. */
  const names = new Map<string, string>();
  /** Identifier of a run, as the mock called it -> its SQL text. */
  const statements = new Map<string, string>();
  const final = new Set([...contract.methods.values()].flatMap(({ poll }) => poll?.final ?? []));
  const poller = [...contract.methods.values()].find(({ poll }) => poll !== undefined);
  const cancels = new Set([...contract.methods.values()].flatMap(({ name, cancels }) => (cancels ? [name] : [])));
  const resultSchema = (method: string) => contract.methods.get(method)?.result;

  /** Waits for the end of a run. */
  async function ended(run: JsonObject): Promise<unknown> {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      const { result } = await connection.call(poller?.name ?? "", { [poller?.poll?.id ?? ""]: run.id });
      const found = runsIn(contract, poller?.result, result).find(({ id }) => id === run.id) ?? run;
      if (final.has(found.state)) return found;
      if (performance.now() > giveUpAt)
        throw new StepFailure([`the run ${shortJson(run.id)} has not ended within ${timeoutMs} ms`]);
      await sleep(everyMs);
    }
  }

  /** Replaces runs that have not ended, and had ended when the consumer was answered, by their final state. */
  async function settled(schema: unknown, given: unknown, found: unknown): Promise<unknown> {
    if (schema === undefined || !isObject(found) || !isObject(given)) return found;
    const isUnderWay = isRunSchema(contract, schema) && final.has(given.state) && !final.has(found.state);
    if (isUnderWay) return ended(found);
    const members = Object.entries(found).map(async ([name, value]) => {
      const other = Object.hasOwn(given, name) ? given[name] : undefined;
      return [name, await settled(memberSchema(contract, schema, name), other, value)] as const;
    });
    return Object.fromEntries(await Promise.all(members));
  }

  /** Learns the server's name of each identifier in a result. */
  function learn(schema: unknown, given: unknown, found: unknown): void {
    if (schema === undefined) return;
    if (Array.isArray(given) && Array.isArray(found))
      for (const [index, item] of given.entries()) learn(itemSchema(contract, schema), item, found[index]);
    if (!isObject(given) || !isObject(found)) return;
    for (const [name, value] of Object.entries(given)) {
      const member = memberSchema(contract, schema, name);
      const other = Object.hasOwn(found, name) ? found[name] : undefined;
      if (member !== undefined && identifier.test(name) && typeof value === "string" && typeof other === "string")
        names.set(value, other);
      learn(member, value, other);
    }
  }

  /** Replaces identifiers in the params of a call; statements, filters and parameters stay as recorded. */
  function renamed({ method, params }: LedgerCall): unknown {
    const schema = contract.methods.get(method)?.params;
    if (!isObject(params)) return params;
    const members = Object.entries(params).map(([name, value]) => {
      const isIdentifier = identifier.test(name) && memberSchema(contract, schema, name) !== undefined;
      return [name, isIdentifier && typeof value === "string" ? (names.get(value) ?? value) : value] as const;
    });
    return Object.fromEntries(members);
  }

  async function answer(call: LedgerCall): Promise<Ending> {
    const { method, result } = call;
    const own = renamed(call);
    const key =
      isObject(own) && typeof own.idempotencyKey === "string"
        ? { idempotencyKey: `${unique} ${own.idempotencyKey}`.slice(0, 128) }
        : {};
    // Rows are available once the run has ended.
    const isPoll = method === poller?.name || cancels.has(method);
    for (const run of isPoll ? [] : runsIn(contract, resultSchema(method), result))
      if (final.has(run.state) && names.has(String(run.id))) await ended({ ...run, id: names.get(String(run.id)) });
    return connection.call(method, isObject(own) ? { ...own, ...key } : own);
  }

  return {
    statementOf({ method, params, result }) {
      if (!isObject(params)) return undefined;
      if (typeof params.sql === "string") {
        for (const { id } of runsIn(contract, resultSchema(method), result)) statements.set(String(id), params.sql);
        return params.sql;
      }
      const ids = Object.entries(params).flatMap(([name, value]) => (identifier.test(name) ? [String(value)] : []));
      return ids.flatMap((id) => statements.get(id) ?? [])[0];
    },
    async problemsOf(call) {
      const { method, result, error } = call;
      const told = await answer(call);
      const isTooLate = cancels.has(method) && error === undefined && told.error !== undefined;
      if (isTooLate && contract.methods.get(method)?.errors.has(told.error?.code ?? 0)) return [];
      if (told.error?.code !== error?.code) return [`expected ${ending(call)}, got ${ending(told)}`];
      if (error !== undefined) return [];
      const schema = resultSchema(method);
      const found = await settled(schema, result, told.result);
      learn(schema, result, found);
      const problems = differences(contract, { schema, given: result, found, pointer: "/result" });
      const messages = runsIn(contract, schema, found).map(({ errorMessage }) => errorMessage);
      const reasons = messages.flatMap((text) => (typeof text === "string" ? [`the run failed: ${text}`] : []));
      return problems.length > 0 ? [...problems, ...reasons] : [];
    },
  };
}

function ending({ error, result }: { readonly error?: { readonly code: number }; readonly result?: unknown }): string {
  return error === undefined ? `the result ${shortJson(result)}` : `the error ${error.code}`;
}
