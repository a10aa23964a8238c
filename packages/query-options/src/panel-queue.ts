/** A value that is read when it is needed, such as a ref. */
export interface Current<Value> {
  readonly current: Value;
}

/** Options that decide when the query of a panel starts in the queue of a dashboard. */
export interface PanelOptions {
  /** Element of the panel on the page: panels in view start first. A panel without an element counts as in view. */
  readonly element?: Current<Element | null> | undefined;
  /**
   * Order among panels that are all in view, or all out of it; the higher number starts first.
   * @default 0
   */
  readonly priority?: number | undefined;
}

/** Starts the work when the queue has a free slot. An abort before that removes it from the queue. */
export type Enqueue = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Priority queue with limited concurrency. It is no state of a component: none renders when its entries change. */
export interface PanelQueue {
  /** @param options Read when a slot is free: the panel may have moved or changed since it was queued. */
  enqueueAs(options: Current<PanelOptions>): Enqueue;
  setConcurrency(concurrency: number): void;
}

interface Entry {
  readonly options: Current<PanelOptions>;
  start(): void;
}

/** Starts the work at once, without a queue. */
export const immediately: Enqueue = (work) => work();

/** Queries of a dashboard that are in progress at the same time: the maximum number of calls in one batch. */
export const defaultConcurrency = 50;

export function createPanelQueue(concurrency: number): PanelQueue {
  const entries = new Set<Entry>();
  let limit = concurrency;
  let running = 0;

  /**
   * Waits for a microtask: the calls of panels that mount or end together share a batch. A promise does this, because fake
   * timers of a test stop `queueMicrotask`.
   */
  function startSoon() {
    void Promise.resolve().then(() => {
      if (running >= limit) return;
      for (const { start } of inOrder(entries).slice(0, limit - running)) start();
    });
  }

  const enqueueAs =
    (options: Current<PanelOptions>): Enqueue =>
    async (work, signal) => {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const remove = () => {
          entries.delete(entry);
          signal.removeEventListener("abort", onAbort);
        };
        const onAbort = () => {
          remove();
          reject(signal.reason);
        };
        const entry = {
          options,
          start() {
            remove();
            running += 1;
            resolve();
          },
        };
        entries.add(entry);
        signal.addEventListener("abort", onAbort);
        startSoon();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        startSoon();
      }
    };

  return {
    enqueueAs,
    setConcurrency(concurrency) {
      limit = concurrency;
      startSoon();
    },
  };
}

function inOrder(entries: Iterable<Entry>) {
  return [...entries]
    .map(({ options, start }) => {
      const { element, priority = 0 } = options.current;
      return { start, priority, inView: Number(isInView(element?.current)) };
    })
    .sort((a, b) => b.inView - a.inView || b.priority - a.priority);
}

function isInView(element: Element | null | undefined): boolean {
  if (!element) return true;
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
