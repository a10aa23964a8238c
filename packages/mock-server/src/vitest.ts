import { type FixtureOptions, watchedMock } from "./fixtures/watched-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Part of the second argument of a vitest fixture that is used. */
interface Cleanup {
  readonly onCleanup: (cleanup: () => void) => void;
}

/** Part of the context of a test that is used. */
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
