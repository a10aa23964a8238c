import { type FixtureOptions, watchedMock } from "./fixtures/watched-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Of what vitest hands to fixtures as much as is needed. */
interface Cleanup {
  readonly onCleanup: (cleanup: () => void) => void;
}

/** Of the context of a test as much as is needed. */
interface Context {
  readonly task?: { readonly name: string; readonly fullTestName?: string };
}

/**
 * A mock for each test that asks for one: `const test = base.extend("mock", mockFixture())`. A test fails that does more than it
 * has provided for. The name of the test names its session in a `ledger`.
 */
export function mockFixture(options?: FixtureOptions): (context: Context, cleanup: Cleanup) => MockServer {
  return ({ task }, { onCleanup }) => {
    const { mock, settle } = watchedMock(options, task?.fullTestName ?? task?.name);
    onCleanup(settle);
    return mock;
  };
}
