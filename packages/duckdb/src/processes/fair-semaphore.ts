/** Semaphore that admits waiting tenants round-robin, so that many requests of one tenant do not delay the others. */
export interface FairSemaphore {
  /**
   * Waits for a permit. Requests of one tenant are admitted in their order.
   * @returns releases the permit; a second call has no effect
   * @throws the signal's reason
   */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
}

/** @param permits Number of permits that can be held at the same time. */
export function createFairSemaphore(permits: number): FairSemaphore {
  let free = permits;
  // A Map iterates in insertion order: the first tenant is the next to be admitted.
  const queues = new Map<string, Set<() => void>>();

  function leave(tenantId: string, admit: () => void): void {
    const queue = queues.get(tenantId);
    queue?.delete(admit);
    if (queue?.size === 0) queues.delete(tenantId);
  }

  /** Passes a permit to the next request, or frees it if no request waits. */
  function release(): void {
    const [tenantId, queue] = queues.entries().next().value ?? [];
    const admit = queue?.values().next().value;
    if (tenantId === undefined || queue === undefined || admit === undefined) {
      free += 1;
      return;
    }
    queue.delete(admit);
    // Deleting and setting the tenant again moves it behind all others.
    queues.delete(tenantId);
    if (queue.size > 0) queues.set(tenantId, queue);
    admit();
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

  return {
    async acquire(tenantId, signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await admission(tenantId, signal);
      let isHeld = true;
      return () => {
        if (isHeld) release();
        isHeld = false;
      };
    },
  };
}
