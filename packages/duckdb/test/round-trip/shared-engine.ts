type Engines = typeof import("../../src/results/engine.ts");

/** Opens one engine for each number of threads, for all tasks of the process. */
export function sharedEngine({ openEngine }: Engines): Engines {
  const engines = new Map<number, ReturnType<typeof openEngine>>();
  return {
    async openEngine(limits, threads = 2) {
      const opened = engines.get(threads) ?? openEngine(limits, threads);
      engines.set(threads, opened);
      return { ...(await opened), close: () => {} };
    },
  };
}
