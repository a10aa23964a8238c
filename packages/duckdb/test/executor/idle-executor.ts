import type { Executor } from "../../src/executor/executor.ts";

const nothing = (): Promise<never> => Promise.reject(new Error("nothing runs here"));

/** An executor that runs nothing, for tests of what lies around it. */
export const idleExecutor: Executor = {
  execute: nothing,
  describe: nothing,
  tables: nothing,
  complete: nothing,
  close: async () => {},
};
