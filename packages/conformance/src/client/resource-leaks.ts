import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** Longest wait for timers, sockets and listeners to be closed; only those that stay take all of it. */
const patienceMs = 2000;
const stepMs = 2;
const kinds: Readonly<Record<string, string>> = { Timeout: "timer", TCPWRAP: "socket", GETADDRINFOREQWRAP: "lookup" };

/** Waits until there is nothing left, for a while. */
export async function remainingAfterWait(leftovers: () => readonly string[]): Promise<readonly string[]> {
  const end = Date.now() + patienceMs;
  while (leftovers().length > 0 && Date.now() < end) await sleep(stepMs);
  return leftovers();
}

export interface Watch extends Disposable {
  /** Runs what is watched. */
  run<T>(work: () => T): T;
  /** Timers and sockets that were begun in `run`, are not over, and keep the process alive. */
  left(): readonly string[];
}

/** The counts of `process.getActiveResourcesInfo()` will not do: what endings elsewhere would make up for what is left here. */
export function trackResources(): Watch {
  const watched = new AsyncLocalStorage<true>();
  const alive = new Map<number, { readonly kind: string; readonly resource: object }>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      const kind = kinds[type];
      if (kind !== undefined && watched.getStore()) alive.set(id, { kind, resource });
    },
    destroy(id) {
      alive.delete(id);
    },
  }).enable();
  return {
    run: (work) => watched.run(true, work),
    left: () => [...alive.values()].filter(({ resource }) => isHeld(resource)).map(({ kind }) => `a ${kind} is left`),
    [Symbol.dispose]() {
      hook.disable();
    },
  };
}

function isHeld(resource: object): boolean {
  return !("hasRef" in resource && typeof resource.hasRef === "function") || resource.hasRef();
}
