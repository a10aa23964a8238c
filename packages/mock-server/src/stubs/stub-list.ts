import { type Plan, thrownOutcome } from "../runs/plan.ts";
import type { MockQuery } from "../statement/query.ts";
import { defineStub, type StubDefinition } from "./definition.ts";
import { type Condition, condition, type Matcher } from "./matcher.ts";
import { type Mismatch, unmatchedText } from "./nearest-stub.ts";
import { createStub, type Stub, type StubState } from "./stub.ts";

/** Entry of `listStubs`. */
export interface ListedStub {
  readonly stubId: string;
  /** Text of the matcher. */
  readonly match: string;
  /** Number of runs that the stub has answered. */
  readonly runs: number;
}

export interface StubList {
  /** Adds a stub. @throws TypeError for a matcher that is not valid. */
  when(matcher: Matcher): Stub;
  /**
   * Chooses the newest stub that matches a statement, and counts a run of it unless the statement is only described. A
   * matcher that throws fails the run.
   * @param onUnmatched Returns the plan if no stub matches, from the reason. @default an empty plan
   */
  planFor(query: MockQuery, onUnmatched?: (text: string) => Plan): Plan;
  /** True if any stub violates the contract. */
  readonly violateContract: boolean;
  /** Returns the stubs, the oldest first. */
  list(): readonly ListedStub[];
  /** Stubs that have answered no statement, except the shared ones, as text for the author of a test. */
  unused(): readonly string[];
  /** Id of the newest stub. */
  readonly lastId: string;
  /** Deletes a stub; returns false for an unknown id. */
  delete(stubId: string): boolean;
  /** Deletes all stubs but the shared ones, which start anew, and sets all scenarios to their initial state. */
  clear(): void;
}

interface Entry {
  readonly id: string;
  readonly condition: Condition;
  readonly state: StubState;
  runs: number;
  isUsed: boolean;
  /** Text of a newer stub that answered a statement that this one matches, too. */
  hiddenBy?: string;
}

/** Initial state of each scenario, as in WireMock. */
const initialState = "Started";

/** @param shared Stubs that the list has from the start and after `clear`. */
export function createStubList(shared: readonly StubDefinition[] = []): StubList {
  let entries: Entry[] = [];
  let created = 0;
  const scenarios = new Map<string, string>();

  function mismatches({ condition, state: { scenario, sequence, maxRuns }, runs }: Entry, query: MockQuery) {
    const names = [...condition.mismatches(query)];
    const limit = Math.min(maxRuns, sequence.at(-1)?.end ?? maxRuns);
    if (runs >= limit) names.push(`its limit of ${limit} run${limit === 1 ? "" : "s"}, which is reached`);
    const { name = "", requiredState } = scenario ?? {};
    const current = scenarios.get(name) ?? initialState;
    if (requiredState !== undefined && requiredState !== current)
      names.push(
        `the state of the scenario ${JSON.stringify(name)} (expected ${JSON.stringify(requiredState)}, got ${JSON.stringify(current)})`,
      );
    return names;
  }

  /** Records which unused stubs a statement would have used without the newer one. */
  function noteHidden(newer: Entry, query: MockQuery): void {
    for (const older of entries.slice(0, entries.indexOf(newer))) {
      if (older.isUsed || older.hiddenBy !== undefined) continue;
      try {
        if (mismatches(older, query).length === 0) older.hiddenBy = newer.condition.text;
      } catch {
        // A matcher that throws fails only the statements that it is needed for. No further one is tried, since each may be slow.
        return;
      }
    }
  }

  function planOf(entry: Entry, { describes }: MockQuery): Plan {
    const { plan, sequence, scenario } = entry.state;
    const step = sequence.find(({ end }) => entry.runs < end)?.plan;
    entry.isUsed = true;
    if (!describes) {
      entry.runs += 1;
      if (scenario?.newState !== undefined) scenarios.set(scenario.name, scenario.newState);
    }
    return { ...plan, ...step, stub: entry.condition.text };
  }

  function defineShared(): void {
    for (const definition of shared) defineStub(list.when, definition);
    // Shared stubs are never reported as unused: no single test needs all stubs of a folder.
    for (const entry of entries) entry.isUsed = true;
  }

  const list: StubList = {
    when(matcher) {
      created += 1;
      const state: StubState = { plan: {}, sequence: [], maxRuns: Number.POSITIVE_INFINITY, scenario: undefined };
      entries.push({ id: `stub_${created}`, condition: condition(matcher), state, runs: 0, isUsed: false });
      return createStub(state);
    },
    planFor(query, onUnmatched) {
      const mismatched: Mismatch[] = [];
      try {
        for (const entry of entries.toReversed()) {
          const names = mismatches(entry, query);
          if (names.length === 0) {
            noteHidden(entry, query);
            return planOf(entry, query);
          }
          mismatched.push({ condition: entry.condition, names });
        }
      } catch (error) {
        return { outcome: thrownOutcome(error) };
      }
      return onUnmatched?.(unmatchedText(query, mismatched.reverse())) ?? {};
    },
    get violateContract() {
      return entries.some(({ state }) => state.plan.violations !== undefined);
    },
    list: () => entries.map(({ id: stubId, condition: { text: match }, runs }) => ({ stubId, match, runs })),
    unused: () =>
      entries
        .filter(({ isUsed }) => !isUsed)
        .map(({ condition: { text }, hiddenBy }) =>
          hiddenBy === undefined
            ? `when(${text}) matched no statement`
            : `when(${text}) answered no statement, because the newer when(${hiddenBy}) matched the same ones`,
        ),
    get lastId() {
      return `stub_${created}`;
    },
    delete(stubId) {
      const { length } = entries;
      entries = entries.filter(({ id }) => id !== stubId);
      return entries.length < length;
    },
    clear() {
      entries = [];
      scenarios.clear();
      defineShared();
    },
  };
  defineShared();
  return list;
}
