import { UnavailableError } from "@quern/adapter";

/** Semaphore, first in, first out. Some permits are reserved for urgent callers, which also overtake the others. */
export interface Permits {
  /**
   * Waits for a permit.
   * @param waitMs maximum wait of a caller that has waited before, in milliseconds. @default `maxWaitMs`
   * @throws {@link UnavailableError} if none becomes free in time
   */
  acquire(isUrgent?: boolean, waitMs?: number): Promise<void>;
  /** Gives back a permit that was acquired with the same argument. */
  release(isUrgent?: boolean): void;
  /** Rejects everyone who waits. */
  rejectWaiting(error: unknown): void;
}

export interface PermitOptions {
  readonly count: number;
  /** Number of permits that only urgent callers get. */
  readonly reserved: number;
  /** Maximum wait of a caller for a permit, in milliseconds. */
  readonly maxWaitMs: number;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

export function createPermits({ count, reserved, maxWaitMs }: PermitOptions): Permits {
  let free = count;
  let freeOfOthers = count - reserved;
  const urgent = new Set<Waiter>();
  const others = new Set<Waiter>();

  function isFree(isUrgent: boolean): boolean {
    return free > 0 && (isUrgent || freeOfOthers > 0);
  }

  function take(isUrgent: boolean): void {
    free -= 1;
    if (!isUrgent) freeOfOthers -= 1;
  }

  function admitNext(isUrgent: boolean): boolean {
    const queue = isUrgent ? urgent : others;
    const [next] = queue;
    if (next === undefined || !isFree(isUrgent)) return false;
    queue.delete(next);
    take(isUrgent);
    next.resolve();
    return true;
  }

  return {
    acquire(isUrgent = false, waitMs = maxWaitMs) {
      if (isFree(isUrgent)) {
        take(isUrgent);
        return Promise.resolve();
      }
      const queue = isUrgent ? urgent : others;
      return new Promise((resolve, reject) => {
        const end = (answer: () => void) => {
          clearTimeout(timer);
          answer();
        };
        const waiter = { resolve: () => end(resolve), reject: (error: Error) => end(() => reject(error)) };
        const timer = setTimeout(() => {
          queue.delete(waiter);
          const seconds = maxWaitMs / 1_000;
          reject(
            new UnavailableError(`No connection to the database was free for ${seconds} seconds; try again later`),
          );
        }, waitMs);
        queue.add(waiter);
      });
    },
    release(isUrgent = false) {
      free += 1;
      if (!isUrgent) freeOfOthers += 1;
      if (!admitNext(true)) admitNext(false);
    },
    rejectWaiting(error) {
      const waiting = [...urgent, ...others];
      urgent.clear();
      others.clear();
      for (const { reject } of waiting) reject(error);
    },
  };
}
