import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Longest wait for a method to be sent, or for requests, timers, sockets and lookups to end, in milliseconds. Only a
 * problem takes all of it.
 */
const maxWaitMs = 5000;
const stepMs = 2;
const kinds: Readonly<Record<string, string>> = { Timeout: "timer", TCPWRAP: "socket", GETADDRINFOREQWRAP: "lookup" };

/** Waits until the list is empty or `maxWaitMs` has passed. Returns the entries that remain. */
export async function remainingAfterWait(entries: () => readonly string[]): Promise<readonly string[]> {
  const end = Date.now() + maxWaitMs;
  while (entries().length > 0 && Date.now() < end) await sleep(stepMs);
  return entries();
}

export interface ResourceTracker extends Disposable {
  /** Runs a function and tracks the resources that it creates. */
  run<T>(work: () => T): T;
  /** Describes the timers, sockets and DNS lookups created in `run` that are open and keep the process alive. */
  leaks(): readonly string[];
}

/**
 * Tracks timers, sockets and DNS lookups by async hooks. Counts of `process.getActiveResourcesInfo()` are not exact
 * enough: a resource closed elsewhere would hide one that leaks here.
 */
export function trackResources(): ResourceTracker {
  const tracked = new AsyncLocalStorage<true>();
  const open = new Map<number, { readonly kind: string; readonly resource: object }>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      const kind = kinds[type];
      if (kind !== undefined && tracked.getStore()) open.set(id, { kind, resource });
    },
    destroy(id) {
      open.delete(id);
    },
  }).enable();
  return {
    run: (work) => tracked.run(true, work),
    leaks: () => [...open.values()].filter(({ resource }) => hasRef(resource)).map(({ kind }) => `${kind} left open`),
    [Symbol.dispose]() {
      hook.disable();
    },
  };
}

function hasRef(resource: object): boolean {
  return !("hasRef" in resource && typeof resource.hasRef === "function") || resource.hasRef();
}
