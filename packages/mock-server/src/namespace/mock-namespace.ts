import type { Fetch } from "@quern/json-rpc/fetch";
import type { FaultOptions, FaultyMethod, PlannedFault } from "../faults/schedule.ts";
import type { History } from "../history/history.ts";
import type { Matcher } from "../stubs/matcher.ts";
import type { Stub } from "../stubs/stub.ts";
import type { MockClock } from "../time/clock.ts";
import type { NamespaceState } from "./namespace-state.ts";

/** Isolated mock service behind an API key: namespaces share no runs, stubs, faults, calls or time. */
export interface MockNamespace {
  readonly apiKey: string;
  /** Base URL to pass to clients together with `fetch`. A server listens there only in the Playwright fixture. */
  readonly url: string;
  /** Replaces the global `fetch`; it uses no network. */
  readonly fetch: Fetch;
  readonly clock: MockClock;
  /**
   * Sleeps on the namespace's clock, for the option `sleep` of `createClient`; undefined unless the clock is `auto`.
   */
  readonly sleep: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Stubs the statements that match. If several stubs match, the newest answers.
   * @throws TypeError for a matcher that is not valid.
   */
  when(matcher: Matcher): Stub;
  /**
   * Plans a fault of a call, its answer or its connection. The mock itself breaks the contract only by a fault, or by a
   * stub with `violateContract`.
   * @throws TypeError or RangeError for an unknown method, a member that is unknown or not valid, and a fault without any
   * member.
   */
  fault(method: FaultyMethod, options: FaultOptions): PlannedFault;
  /** Planned faults that have been applied to no call, as text. A test should end without any. */
  unusedFaults(): readonly string[];
  /** Stubs that have answered no statement, except the shared ones, as text. */
  unusedStubs(): readonly string[];
  /** Calls of the namespace, and their answers. */
  readonly history: History;
  /**
   * Cancels the runs, and forgets runs, stubs, faults and calls. The stubs of the option `stubs` start anew. The clock
   * keeps its time.
   */
  reset(): void;
}

/** @param fetch Entry point of all namespaces; the key of a call selects one. */
export function createMockNamespace(
  apiKey: string,
  { clock, stubs, faults, history, reset }: NamespaceState,
  fetch: Fetch,
): MockNamespace {
  const sleep = clock.isAuto ? (ms: number, signal: AbortSignal) => clock.until(clock.now() + ms, signal) : undefined;
  return {
    apiKey,
    url: "http://mock.quern.invalid",
    fetch,
    clock,
    sleep,
    when: stubs.when,
    fault: faults.plan,
    unusedFaults: faults.unused,
    unusedStubs: stubs.unused,
    history,
    reset,
  };
}
