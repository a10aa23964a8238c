import type { Child } from "../../src/processes/child.ts";

/** Child without a process. Its pid is that of no process by default. */
export function fakeChild(change: Partial<Child> = {}): Child {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let hasEnded = false;
  return {
    pid: 2 ** 22 + 1,
    ready: Promise.resolve(),
    ended,
    get hasEnded() {
      return hasEnded;
    },
    call: async () => undefined,
    limitDirectory: () => {},
    kill() {
      hasEnded = true;
      resolve("the process was ended by SIGKILL");
    },
    ...change,
  };
}
