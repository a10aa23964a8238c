/** Places for what may be under way at once. Whoever finds none free waits, and tenants are let in by turns. */
export interface Turns {
  /**
   * Waits for a place.
   * @returns gives it back
   * @throws the signal's reason
   */
  take(tenantId: string, signal: AbortSignal): Promise<() => void>;
}

export function createTurns(places: number): Turns {
  let free = places;
  // The order of the tenants is that of their turns: who was let in comes last.
  const waiting = new Map<string, Set<() => void>>();

  function leave(tenantId: string, enter: () => void): void {
    const queue = waiting.get(tenantId);
    queue?.delete(enter);
    if (queue?.size === 0) waiting.delete(tenantId);
  }

  function pass(): void {
    const [tenantId, queue] = waiting.entries().next().value ?? [];
    const enter = queue?.values().next().value;
    if (tenantId === undefined || queue === undefined || enter === undefined) {
      free += 1;
      return;
    }
    queue.delete(enter);
    waiting.delete(tenantId);
    if (queue.size > 0) waiting.set(tenantId, queue);
    enter();
  }

  function entered(tenantId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        leave(tenantId, enter);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.set(tenantId, (waiting.get(tenantId) ?? new Set()).add(enter));
    });
  }

  return {
    async take(tenantId, signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await entered(tenantId, signal);
      let taken = true;
      return () => {
        if (taken) pass();
        taken = false;
      };
    },
  };
}
