/** Waits without a slot: releases the slot of an item while `wait` is pending, and acquires a slot again afterwards. */
export type WithoutSlot = <T>(wait: () => Promise<T>) => Promise<T>;

// Read when the module is loaded, so that fake timers of a test do not stop batches. Browsers have no `setImmediate`.
const schedule: (callback: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;

/**
 * Runs `work` on each item with limited concurrency and returns the results in the order of the items. Other events of
 * the event loop are served between the items. `work` must not reject.
 * @param concurrency Maximum number of items that run at the same time.
 */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, withoutSlot: WithoutSlot) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue: (() => void)[] = [];
  let free = concurrency;
  let iteration: Promise<void> | undefined;

  async function acquire(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
  }

  /** Waits for the next iteration of the event loop. Items that wait in the same iteration begin together. */
  function yieldToEventLoop(): Promise<void> {
    iteration ??= new Promise((resolve) =>
      schedule(() => {
        iteration = undefined;
        resolve();
      }),
    );
    return iteration;
  }

  function release(): void {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }

  const withoutSlot: WithoutSlot = async (wait) => {
    release();
    try {
      return await wait();
    } finally {
      await acquire();
    }
  };

  async function run(item: Item): Promise<Result> {
    await acquire();
    try {
      await yieldToEventLoop();
      return await work(item, withoutSlot);
    } finally {
      release();
    }
  }
  return Promise.all(items.map(run));
}
