/** Semaphore, first in, first out. */
export interface Permits {
  acquire(): Promise<void>;
  release(): void;
  /** Rejects everyone who waits. */
  rejectWaiting(error: unknown): void;
}

export function createPermits(count: number): Permits {
  let free = count;
  const waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  return {
    acquire() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next.resolve();
    },
    rejectWaiting(error) {
      for (const { reject } of waiting.splice(0)) reject(error);
    },
  };
}
