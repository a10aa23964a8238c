import { createTestMock, type FixtureOptions } from "./fixtures/test-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Part of the context of a `node:test` test. */
export interface Test {
  readonly fullName?: string;
  after(hook: () => void): void;
}

/**
 * Creates a mock for one test: `const mock = mockFor(t)`. It is strict unless the options say otherwise. The test fails
 * for unexpected calls, unused faults, and errors of the mock itself. The name of the test names its session in a
 * `ledger`.
 */
export function mockFor(test: Test, options?: FixtureOptions): MockServer {
  const { mock, finish } = createTestMock(options, test.fullName);
  test.after(finish);
  return mock;
}
