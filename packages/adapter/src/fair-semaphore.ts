/** Semaphore that admits waiting tenants round-robin, so that many requests of one tenant do not delay the others. */
export interface FairSemaphore {
  /**
   * Waits for a permit. Requests of one tenant are admitted in their order.
   * @returns releases the permit; a second call has no effect
   * @throws the signal's reason
   */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
  /** Takes a permit if the tenant can have one now. @returns releases the permit, or undefined if it would have to wait */
  tryAcquire(tenantId: string): (() => void) | undefined;
  /** Returns the number of requests of a tenant that wait. */
  waiting(tenantId: string): number;
}

/**
 * @param permits Number of permits that can be held at the same time.
 * @param permitsOfTenant Number of permits that one tenant can hold at the same time. With fewer than all, requests of
 * one tenant alone never make the first request of another tenant wait.
 */
export function createFairSemaphore(permits: number, permitsOfTenant = permits): FairSemaphore {
  let free = permits;
  /** Permits that each tenant holds. */
  const held = new Map<string, number>();
  // A Map iterates in insertion order: the first tenant is the next to be admitted.
  const queues = new Map<string, Set<() => void>>();

  function isAvailable(tenantId: string): boolean {
    return free > 0 && (held.get(tenantId) ?? 0) < permitsOfTenant;
  }

  function count(tenantId: string, change: 1 | -1): void {
    free -= change;
    const number = (held.get(tenantId) ?? 0) + change;
    if (number === 0) held.delete(tenantId);
    else held.set(tenantId, number);
  }

  function leave(tenantId: string, admit: () => void): void {
    const queue = queues.get(tenantId);
    queue?.delete(admit);
    if (queue?.size === 0) queues.delete(tenantId);
  }

  /** Admits the next request whose tenant can have a permit. */
  function admitNext(): void {
    for (const [tenantId, queue] of queues) {
      const [admit] = queue;
      if (admit === undefined || !isAvailable(tenantId)) continue;
      queue.delete(admit);
      // Deleting and setting the tenant again moves it behind all others.
      queues.delete(tenantId);
      if (queue.size > 0) queues.set(tenantId, queue);
      count(tenantId, 1);
      admit();
      return;
    }
  }

  function admission(tenantId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        leave(tenantId, admit);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      queues.set(tenantId, (queues.get(tenantId) ?? new Set()).add(admit));
    });
  }

  /** Returns the function that releases a permit of the tenant once. */
  function permitOf(tenantId: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      count(tenantId, -1);
      admitNext();
    };
  }

  return {
    async acquire(tenantId, signal) {
      signal.throwIfAborted();
      if (isAvailable(tenantId)) count(tenantId, 1);
      else await admission(tenantId, signal);
      return permitOf(tenantId);
    },
    tryAcquire(tenantId) {
      if (!isAvailable(tenantId)) return undefined;
      count(tenantId, 1);
      return permitOf(tenantId);
    },
    waiting: (tenantId) => queues.get(tenantId)?.size ?? 0,
  };
}
