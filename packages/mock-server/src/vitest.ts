import { createTestMock, type FixtureOptions } from "./fixtures/test-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Part of the second argument of a vitest fixture. */
interface Cleanup {
  readonly onCleanup: (cleanup: () => void) => void;
}

/** Part of the context of a vitest test. */
interface Context {
  readonly task?: { readonly name: string; readonly fullTestName?: string };
}

/**
 * Creates a fixture with a mock for each test that uses it: `const test = base.extend("mock", mockFixture())`. The mock
 * is strict unless the options say otherwise. A test fails for unexpected calls, unused faults, and errors of the mock
 * itself. The name of the test names its session in a `ledger`. It needs vitest 4.1 or later.
 */
export function mockFixture(options?: FixtureOptions): (context: Context, cleanup: Cleanup) => MockServer {
  return ({ task }, { onCleanup }: Partial<Cleanup>) => {
    if (onCleanup === undefined)
      throw new TypeError(
        'mockFixture: the fixture has no onCleanup; write test.extend("mock", mockFixture()) with vitest 4.1 or later, or use mockPerTest of @quern/mock-server/jest',
      );
    const { mock, finish } = createTestMock(options, task?.fullTestName ?? task?.name);
    onCleanup(finish);
    return mock;
  };
}
