import { type FixtureOptions, type WatchedMock, watchedMock } from "./fixtures/watched-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** The hooks of a runner: those of jest, or of any other that has them. */
export interface Hooks {
  beforeEach(hook: () => void): unknown;
  afterEach(hook: () => void): unknown;
  /** The runner's `expect`, which knows the name of the test; with it, that name names the session of a test in a `ledger`. */
  readonly expect?: { getState(): { readonly currentTestName?: string } };
}

/** Gives each test a mock, which is the `mock` of what this returns. A test fails that does more than it has provided for. */
export function mockPerTest(
  { beforeEach, afterEach, expect }: Hooks,
  options?: FixtureOptions,
): { readonly mock: MockServer } {
  let current: WatchedMock | undefined;
  beforeEach(() => {
    current = watchedMock(options, expect?.getState().currentTestName);
  });
  afterEach(() => {
    const ended = current;
    current = undefined;
    ended?.settle();
  });
  return {
    get mock() {
      if (current === undefined) throw new Error("there is a mock while a test runs, and none outside");
      return current.mock;
    },
  };
}
