import type { Fetch } from "@quern/json-rpc/fetch";
import type { FaultOptions, FaultyMethod, PlannedFault } from "../faults/schedule.ts";
import type { History } from "../history/history.ts";
import type { Matcher } from "../stubs/matcher.ts";
import type { Stub } from "../stubs/stub.ts";
import type { MockClock } from "../time/clock.ts";
import type { Namespace } from "./namespace.ts";

/** A service of one's own behind an API key: nothing that happens in one namespace is seen in another. */
export interface MockNamespace {
  readonly apiKey: string;
  /** A base URL to give to clients together with `fetch`. Nothing listens there. */
  readonly url: string;
  /** Stands where a `fetch` stands, without a network. */
  readonly fetch: Fetch;
  readonly clock: MockClock;
  /** How clients sleep that live in the same time; only where the clock is `auto`. */
  readonly sleep: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Says what becomes of the statements that match. Of several stubs that match, the last one made answers. */
  when(matcher: Matcher): Stub;
  /** Plans what goes wrong with a call, its answer or its connection: with a stub's `unsafe` the only way to have the contract broken. */
  fault(method: FaultyMethod, options: FaultOptions): PlannedFault;
  /** Planned faults that have met no call yet; in the end of a test nobody wants any. */
  unmetFaults(): readonly string[];
  /** Stubs that have matched no statement, which a test does not need. */
  unusedStubs(): readonly string[];
  /** What was called. */
  readonly history: History;
  /** Cancels its runs and forgets all that has happened and was planned. Its clock goes on. */
  reset(): void;
}

/** @param fetch Serves all namespaces; the key of a call chooses one. */
export function createHandle(
  apiKey: string,
  { clock, stubs, faults, history, reset }: Namespace,
  fetch: Fetch,
): MockNamespace {
  const url = "http://mock.quern.invalid";
  const sleep = clock.isAuto ? (ms: number, signal: AbortSignal) => clock.until(clock.now() + ms, signal) : undefined;
  const { plan: fault, unmet: unmetFaults } = faults;
  return {
    apiKey,
    url,
    fetch,
    clock,
    sleep,
    when: stubs.when,
    fault,
    unmetFaults,
    unusedStubs: stubs.unused,
    history,
    reset,
  };
}
