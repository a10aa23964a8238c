import { createTestMock, type FixtureOptions, type TestMock } from "./fixtures/test-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Hooks of jest, or of another runner that has them. */
export interface Hooks {
  beforeEach(hook: () => void): unknown;
  afterEach(hook: () => void): unknown;
  /** The runner's `expect`. With it, the name of the test names its session in a `ledger`. */
  readonly expect?: { getState(): { readonly currentTestName?: string } };
}

/**
 * Creates a mock for each test, as the `mock` of the returned object; it is strict unless the options say otherwise. A
 * test fails for unexpected calls, unused faults, and errors of the mock itself.
 * @throws Error if `mock` is read outside of a test.
 */
export function mockPerTest(
  { beforeEach, afterEach, expect }: Hooks,
  options?: FixtureOptions,
): { readonly mock: MockServer } {
  let current: TestMock | undefined;
  beforeEach(() => {
    current = createTestMock(options, expect?.getState().currentTestName);
  });
  afterEach(() => {
    const test = current;
    current = undefined;
    test?.finish();
  });
  return {
    get mock() {
      if (current === undefined)
        throw new Error("no test is running; read `mock` in a test, or in a beforeEach hook after mockPerTest");
      return current.mock;
    },
  };
}
