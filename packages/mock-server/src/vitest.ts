import { type FixtureOptions, watchedMock } from "./fixtures/watched-mock.ts";
import type { MockServer } from "./mock-server.ts";

export type { FixtureOptions };

/** Of what vitest hands to fixtures as much as is needed. */
interface Cleanup {
  readonly onCleanup: (cleanup: () => void) => void;
}

/**
 * A mock for each test that asks for one: `const test = base.extend("mock", mockFixture())`. A test fails that does more than it
 * has provided for.
 */
export function mockFixture(options?: FixtureOptions): (context: object, cleanup: Cleanup) => MockServer {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  return ({}, { onCleanup }) => {
    const { mock, settle } = watchedMock(options);
    onCleanup(settle);
    return mock;
  };
}
