import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createFairSemaphore, type FairSemaphore, type Source, type Store } from "@quern/adapter";
import type { Log } from "../common/log.ts";

/** Semaphores of the calls that inspect a source. */
export interface Inspections {
  /** Waits for a permit. @returns releases it @throws the signal's reason */
  acquire(tenantId: string, source: Pick<Source, "name" | "address">, signal: AbortSignal): Promise<() => void>;
}

export interface InspectionOptions {
  /** Permits of all sources without an address together, whose engines use the processors of this server. */
  readonly maxRunningRuns: number;
  /** Permits of each source with an address, whose engine has processors of its own. */
  readonly maxRunningRunsOfSource: number;
  readonly store: Pick<Store, "isShared" | "leases">;
  /** Longest time of an inspection in milliseconds, after which the permit of a lost server is free. */
  readonly maxMs: number;
  readonly log: Log;
}

const firstPauseMs = 25;
const longestPauseMs = 400;

/**
 * Creates semaphores that give a tenant on several servers together as many permits as on one. Within a server, tenants
 * are admitted round-robin.
 */
export function createInspections(options: InspectionOptions): Inspections {
  const { store, maxMs, log } = options;
  const { leases } = store;
  const semaphores = new Map<string, FairSemaphore>();

  /** Waits for a permit that no other server gives. @returns releases it */
  async function lease(name: string, permits: number, signal: AbortSignal): Promise<() => void> {
    const owner = randomUUID();
    for (let pauseMs = firstPauseMs; !(await leases.take(name, permits, { owner, ms: maxMs })); pauseMs *= 2)
      await sleep(Math.min(pauseMs, longestPauseMs), undefined, { signal });
    return () => {
      leases
        .release(name, owner)
        .catch((error: unknown) =>
          log.error("an inspection could not release its permit, which is free when its lease ends", error),
        );
    };
  }

  return {
    async acquire(tenantId, { name, address }, signal) {
      const isRemote = address !== undefined;
      const permits = isRemote ? options.maxRunningRunsOfSource : options.maxRunningRuns;
      const semaphoreName = isRemote ? `inspections of ${name}` : "inspections";
      const semaphore = semaphores.get(semaphoreName) ?? createFairSemaphore(permits);
      semaphores.set(semaphoreName, semaphore);
      const release = store.isShared ? await lease(`${semaphoreName} ${tenantId}`, permits, signal) : () => {};
      try {
        const leave = await semaphore.acquire(tenantId, signal);
        return () => {
          leave();
          release();
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
