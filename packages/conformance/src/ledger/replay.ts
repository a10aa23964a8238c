import { setTimeout as sleep } from "node:timers/promises";
import { StepFailure } from "../server/check.ts";
import type { Contract } from "../server/document.ts";
import { isObject, type JsonObject, shown, valueAt } from "../server/json.ts";
import type { Ending, Talk } from "../server/talk.ts";
import type { LedgerCall } from "./ledger.ts";
import { lacks } from "./likeness.ts";

/** Repeats the calls of one consumer on a real server. */
export interface Replay {
  /** What the server does not do that the consumer relies on. */
  problemsOf(call: LedgerCall): Promise<readonly string[]>;
}

export interface ReplayOptions {
  readonly talk: Talk;
  readonly contract: Contract;
  /** Makes idempotency keys new. */
  readonly unique: string;
  /** How long a run may take, in milliseconds. */
  readonly timeoutMs: number;
}

const everyMs = 50;

export function createReplay({ talk, contract, unique, timeoutMs }: ReplayOptions): Replay {
  /** What the mock called something -> what the server calls it. */
  const names = new Map<string, string>();
  const final = new Set([...contract.methods.values()].flatMap(({ poll }) => poll?.final ?? []));
  const poller = [...contract.methods.values()].find(({ poll }) => poll !== undefined);
  const cancels = new Set(contract.cancelers);

  /** Waits for the end of a run. */
  async function ended(run: JsonObject): Promise<unknown> {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      const { result } = await talk.call(poller?.name ?? "", { [poller?.poll?.id ?? ""]: run.id });
      const found = runsIn(result).find(({ id }) => id === run.id) ?? run;
      if (final.has(found.state)) return found;
      if (performance.now() > giveUpAt) throw new StepFailure([`the run ${shown(run.id)} does not end`]);
      await sleep(everyMs);
    }
  }

  /** A result in which the runs have ended that had when the consumer was answered. */
  async function settled(given: unknown, found: unknown): Promise<unknown> {
    if (Array.isArray(found)) return found;
    if (!isObject(found)) return found;
    if (isRun(found) && isRun(given) && final.has(given.state) && !final.has(found.state)) return ended(found);
    const members = Object.entries(found).map(
      async ([name, value]) => [name, await settled(valueAt(given, `/${name}`), value)] as const,
    );
    return Object.fromEntries(await Promise.all(members));
  }

  async function answer({ method, params, result }: LedgerCall): Promise<Ending> {
    const own = renamed(params, names);
    const key =
      isObject(own) && typeof own.idempotencyKey === "string"
        ? { idempotencyKey: `${unique} ${own.idempotencyKey}`.slice(0, 128) }
        : {};
    // Rows are there once the run has ended.
    for (const run of method === poller?.name || cancels.has(method) ? [] : runsIn(result))
      if (final.has(run.state) && names.has(String(run.id))) await ended({ ...run, id: names.get(String(run.id)) });
    return talk.call(method, isObject(own) ? { ...own, ...key } : own);
  }

  return {
    async problemsOf(call) {
      const { method, result, error } = call;
      const told = await answer(call);
      const isTooLate = cancels.has(method) && error === undefined && told.error !== undefined;
      if (isTooLate && contract.methods.get(method)?.errors.has(told.error?.code ?? 0)) return [];
      if (told.error?.code !== error?.code)
        return [`it is answered with ${ending(told)}, and the consumer was with ${ending(call)}`];
      if (error !== undefined) return [];
      const found = await settled(result, told.result);
      learn(result, found, names);
      const why = runsIn(found).flatMap(({ errorMessage }) => (typeof errorMessage === "string" ? [errorMessage] : []));
      const problems = lacks(result, found, "/result");
      return problems.length > 0 ? [...problems, ...why] : [];
    },
  };
}

function ending({ error, result }: { readonly error?: { readonly code: number }; readonly result?: unknown }): string {
  return error === undefined ? `a result ${shown(result)}` : `the error ${error.code}`;
}

function isRun(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.id === "string" && typeof value.state === "string";
}

function runsIn(value: unknown): readonly JsonObject[] {
  if (isRun(value)) return [value];
  return isObject(value) ? Object.values(value).flatMap(runsIn) : [];
}

/** Learns what the server calls what the mock has named: ids, and where a list goes on. */
function learn(given: unknown, found: unknown, names: Map<string, string>): void {
  if (Array.isArray(given) && Array.isArray(found))
    for (const [index, item] of given.entries()) learn(item, found[index], names);
  if (!isObject(given) || !isObject(found)) return;
  for (const [name, value] of Object.entries(given)) {
    const other = found[name];
    if (/^id$|Id$|Cursor$/.test(name) && typeof value === "string" && typeof other === "string")
      names.set(value, other);
    learn(value, other, names);
  }
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, renamed(inner, names)]));
}
