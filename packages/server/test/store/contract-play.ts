import { setImmediate } from "node:timers/promises";
import type { Store } from "@quern/adapter";
import type { sharedStoreContract, storeContract } from "@quern/adapter/contract";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

export type StoreCase = (typeof storeContract)[number] | (typeof sharedStoreContract)[number];

/** Methods that change nothing, or whose changes the answer itself has. */
const questions = new Set([
  ...["run", "statement", "hasRequested", "latestRequest", "list", "claim", "renew", "reclaim", "withdrawKey"],
  ...[
    "expired",
    "purge",
    "erase",
    "byHash",
    "all",
    "tenant",
    "get",
    "counts",
    "queuePosition",
    "executing",
    "isUsed",
    "use",
  ],
  ...["storedBytes", "allStoredBytes", "take", "servers"],
]);

/** Changes whose outcome a case may read. */
const outcomes = new Set(["submit", "apply", "withdraw", "getOrCreate"]);

/** Notes which members of answers are read, by their paths. */
function createReader() {
  const paths = new Set<string>();
  const originals = new WeakMap<object, object>();
  function watched(value: unknown, path: string): unknown {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    const proxy = new Proxy(value, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof name === "symbol" || !Object.hasOwn(target, name) || name === "length") return member;
        paths.add(`${path}/${name}`);
        return watched(member, `${path}/${name}`);
      },
    });
    originals.set(proxy, value);
    return proxy;
  }
  async function* batchesOf(batches: AsyncIterable<unknown>, path: string): AsyncGenerator<unknown> {
    let number = 0;
    for await (const batch of batches) yield watched(batch, `${path} batch ${++number}`);
  }
  /** Returns a parameter without the watched answers in it, whose members the store reads. */
  function unwatched(value: unknown, depth = 2): unknown {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    const original = originals.get(value);
    if (original !== undefined || depth === 0 || Array.isArray(value)) return original ?? value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unwatched(member, depth - 1)]));
  }
  return { paths, watched, batchesOf, unwatched };
}

/** Numbers of the calls of a case, with those that set the clock, and of the members of answers that it reads. */
interface Played {
  readonly calls: number;
  /** Calls on the second of two servers. */
  readonly callsOnAnother: number;
  readonly reads: number;
}

/**
 * Runs a case on a store whose other changes, and whose clock, take a while, so that a case that does not await them
 * fails.
 * @param driftMs time by which the clock is off as soon as it has moved
 */
export async function play({ run }: StoreCase, driftMs = 0): Promise<Played> {
  const { paths, watched, batchesOf, unwatched } = createReader();
  let time = 0;
  let first: number | undefined;
  let calls = 0;
  let callsOnAnother = 0;
  const real = openSqliteStore(":memory:", { clock: { now: () => time } });
  const wrapped = (target: object, isAnother: boolean): object =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === "object" && member !== null) return wrapped(member, isAnother);
        if (typeof member !== "function") return member;
        return (...params: unknown[]): unknown => {
          calls += 1;
          if (isAnother) callsOnAnother += 1;
          const call = calls;
          const made = () =>
            Reflect.apply(
              member,
              target,
              params.map((param) => unwatched(param)),
            );
          if (name === "subscribe") return made();
          if (name === "read") return batchesOf(made(), String(call));
          const answer = async () => watched(await made(), String(call));
          if (questions.has(String(name))) return answer();
          // Other changes take longer than those with an outcome, which therefore do not wait for them by chance.
          return outcomes.has(String(name)) ? setImmediate().then(answer) : later(answer);
        };
      },
    });
  async function later(answer: () => unknown): Promise<unknown> {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    return answer();
  }
  async function setTime(now: number): Promise<void> {
    calls += 1;
    first ??= now;
    await setImmediate();
    time = now === first ? now : now + driftMs;
  }
  try {
    await run({ store: wrapped(real, false) as Store, another: wrapped(real, true) as Store, setTime });
  } finally {
    await real.close();
  }
  return { calls, callsOnAnother, reads: paths.size };
}

/** Returns the names of the clocks on which a case fails: one passes time too fast, the other too slowly. */
export async function noticedClocks(of: StoreCase): Promise<string> {
  const clocks = { fast: 1, slow: -1 };
  const noticed: string[] = [];
  for (const [name, driftMs] of Object.entries(clocks))
    await play(of, driftMs).catch(() => {
      noticed.push(name);
    });
  return noticed.join(" ");
}
