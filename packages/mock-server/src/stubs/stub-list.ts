import { type Plan, thrownOutcome } from "../runs/plan.ts";
import type { MockQuery } from "../statement/query.ts";
import { defineStub, type StubDefinition } from "./definition.ts";
import { type Condition, condition, type Matcher } from "./matcher.ts";
import { type Mismatch, missText } from "./nearest.ts";
import { createStub, type Stub, type StubState } from "./stub.ts";

/** Stub as it is listed. */
export interface ListedStub {
  readonly stubId: string;
  /** The matcher as it was written. */
  readonly match: string;
  /** Runs that it has answered. */
  readonly runs: number;
}

export interface StubList {
  /** Adds a stub. @throws TypeError where the matcher is none. */
  when(matcher: Matcher): Stub;
  /**
   * Chooses the stub for a statement, the last one made of those that match, and counts a run of it, unless the statement is only
   * described. A matcher that throws fails the run.
   * @param onMiss Makes the list strict: it is told why no stub matches, and the plan is to fail.
   */
  planFor(query: MockQuery, onMiss?: (text: string) => void): Plan;
  /** True if any stub is unsafe. */
  readonly areUnsafe: boolean;
  /** The stubs, the oldest first. */
  list(): readonly ListedStub[];
  /** Stubs that have matched no statement, as text for the author of a test. */
  unused(): readonly string[];
  /** Id of the stub made last. */
  readonly lastId: string;
  /** Deletes a stub; false where there is none of that id. */
  delete(stubId: string): boolean;
  /** Deletes all stubs and scenarios. */
  clear(): void;
}

interface Entry {
  readonly id: string;
  readonly condition: Condition;
  readonly state: StubState;
  runs: number;
  isUsed: boolean;
}

/** State in which each scenario begins. */
const initialState = "Started";

/** @param shared Definitions of stubs that the list begins with, also after it was cleared. */
export function createStubList(shared: readonly StubDefinition[] = []): StubList {
  let entries: Entry[] = [];
  let made = 0;
  const scenarios = new Map<string, string>();

  function mismatches({ condition, state: { scenario, sequence, maxRuns }, runs }: Entry, query: MockQuery) {
    const names = [...condition.mismatches(query)];
    const limit = Math.min(maxRuns, sequence.at(-1)?.end ?? maxRuns);
    if (runs >= limit) names.push(`its limit of ${limit} run${limit === 1 ? "" : "s"}`);
    const { name = "", requiredState } = scenario ?? {};
    const current = scenarios.get(name) ?? initialState;
    if (requiredState !== undefined && requiredState !== current)
      names.push(`the scenario ${JSON.stringify(name)}, whose state is ${JSON.stringify(current)}`);
    return names;
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
    // No single test needs all stubs of a folder.
    for (const entry of entries) entry.isUsed = true;
  }

  const list: StubList = {
    when(matcher) {
      made += 1;
      const state: StubState = { plan: {}, sequence: [], maxRuns: Number.POSITIVE_INFINITY, scenario: undefined };
      entries.push({ id: `stub_${made}`, condition: condition(matcher), state, runs: 0, isUsed: false });
      return createStub(state);
    },
    planFor(query, onMiss) {
      const missed: Mismatch[] = [];
      try {
        for (const entry of entries.toReversed()) {
          const names = mismatches(entry, query);
          if (names.length === 0) return planOf(entry, query);
          missed.push({ condition: entry.condition, names });
        }
      } catch (error) {
        return { outcome: thrownOutcome(error) };
      }
      if (onMiss === undefined) return {};
      const text = missText(query, missed.reverse());
      onMiss(text);
      return { outcome: thrownOutcome(Object.assign(new Error(text), { name: "UnexpectedStatement" })) };
    },
    get areUnsafe() {
      return entries.some(({ state }) => state.plan.untruths !== undefined);
    },
    list: () => entries.map(({ id: stubId, condition: { text: match }, runs }) => ({ stubId, match, runs })),
    unused: () =>
      entries.filter(({ isUsed }) => !isUsed).map(({ condition }) => `when(${condition.text}) matched no statement`),
    get lastId() {
      return `stub_${made}`;
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
