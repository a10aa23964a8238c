import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@quern/adapter";
import type { FairSemaphore } from "@quern/duckdb";
import type { Log } from "../common/log.ts";

/** Semaphore of calls that inspect a source. */
export type Inspections = Pick<FairSemaphore, "acquire">;

export interface InspectionOptions {
  /** Semaphore of this server, whose processes make the inspections. */
  readonly local: FairSemaphore;
  readonly store: Pick<Store, "isShared" | "leases">;
  /** Maximum number of inspections of a tenant on all servers of the store at the same time. */
  readonly maxOfTenant: number;
  /** Longest time of an inspection in milliseconds, after which the permit of a lost server is free. */
  readonly maxMs: number;
  readonly log: Log;
}

const firstPauseMs = 25;
const longestPauseMs = 400;

/**
 * Creates a semaphore that gives a tenant on several servers together as many permits as on one. Within a server,
 * tenants are admitted round-robin.
 */
export function createInspections({ local, store, maxOfTenant, maxMs, log }: InspectionOptions): Inspections {
  if (!store.isShared) return local;
  const { leases } = store;
  return {
    async acquire(tenantId, signal) {
      const name = `inspections ${tenantId}`;
      const owner = randomUUID();
      for (let pauseMs = firstPauseMs; !(await leases.take(name, maxOfTenant, { owner, ms: maxMs })); pauseMs *= 2)
        await sleep(Math.min(pauseMs, longestPauseMs), undefined, { signal });
      const release = (): void => {
        leases
          .release(name, owner)
          .catch((error: unknown) =>
            log.error("an inspection could not release its permit, which is free when its lease ends", error),
          );
      };
      try {
        const leave = await local.acquire(tenantId, signal);
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
