import { type FixtureOptions, watchedMock } from "./fixtures/watched-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Part of the context of a `node:test` test that is used. */
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
