import { type FixtureOptions, watchedMock } from "./fixtures/watched-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Of the context that `node:test` hands to a test as much as is needed. */
export interface Test {
  readonly fullName?: string;
  after(hook: () => void): void;
}

/** A mock for one test: `const mock = mockFor(t)`. The test fails if it does more than it has provided for. Its name names its session in a `ledger`. */
export function mockFor(test: Test, options?: FixtureOptions): MockServer {
  const { mock, settle } = watchedMock(options, test.fullName);
  test.after(settle);
  return mock;
}
