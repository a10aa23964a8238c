import { setTimeout as sleep } from "node:timers/promises";
import type { NamedLeaseStore } from "@quern/adapter";
import type { Log } from "../common/log.ts";

/** Election of one server of a store, for work and figures that only one of them may do and report. */
export interface Leadership {
  /** Returns false once the lease could have ended, so that two servers are never leaders at the same time. */
  isLeader(): boolean;
  /** Elects this server if the store has no leader, and repeats that until it is closed. */
  start(): Promise<void>;
  /** Gives the leadership up: the next server that tries becomes the leader. */
  close(): Promise<void>;
}

const leaseName = "leader";

export interface LeadershipOptions {
  readonly leases: NamedLeaseStore;
  /** Identity of the server, different for each start. */
  readonly owner: string;
  readonly log: Log;
}

/**
 * Milliseconds for which a server is leased the leadership. It renews the lease, and the others try to take it, after
 * each third of the time. The setting `leaseSeconds` is for the leases of runs only.
 */
const leaseMs = 30_000;

export function createLeadership({ leases, owner, log }: LeadershipOptions): Leadership {
  let leaderUntil = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;

  async function renew(): Promise<void> {
    // The time before the call, by a clock that is never set: the lease ends at this server before it does in the store.
    const start = performance.now();
    leaderUntil = (await leases.take(leaseName, 1, { owner, ms: leaseMs }))
      ? start + leaseMs
      : Number.NEGATIVE_INFINITY;
  }

  function renewOnce(): Promise<void> {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  return {
    isLeader: () => performance.now() < leaderUntil,
    async start() {
      await renewOnce();
      timer = setInterval(() => {
        renewOnce().catch((error: unknown) =>
          log.error("the lease of the leader could not be taken or renewed", error),
        );
      }, leaseMs / 3);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      await renewing?.catch(() => {}); // the timer has logged it
      const wasLeader = performance.now() < leaderUntil;
      leaderUntil = Number.NEGATIVE_INFINITY;
      if (!wasLeader) return;
      await leases
        .release(leaseName, owner)
        .catch((error: unknown) =>
          log.error("the leadership could not be given up, so the next leader is elected when its lease ends", error),
        );
    },
  };
}

const lockMs = 10_000;
const lockPauseMs = 100;

/**
 * Holds a lock of the store while `work` runs, for changes at the start of a server that several servers must make one
 * after the other. `work` must end within ten seconds.
 */
export async function underLock<T>(
  leases: NamedLeaseStore,
  name: string,
  owner: string,
  work: () => Promise<T>,
): Promise<T> {
  while (!(await leases.take(name, 1, { owner, ms: lockMs }))) await sleep(lockPauseMs);
  try {
    return await work();
  } finally {
    await leases.release(name, owner);
  }
}
