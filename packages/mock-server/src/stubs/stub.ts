import { memberCheck } from "../member-check.ts";
import { type Rows, resultSet } from "../results/result-set.ts";
import { type Failure, failedOutcome, type Plan } from "../runs/plan.ts";
import { pollScript, timeScript } from "../runs/run-script.ts";
import type { Duration } from "../time/duration.ts";
import { type Change, type UnsafeMethod, untruth } from "../unsafe/untruth.ts";

/** One step of a sequence: rows or a failure, how long it takes, and how many runs get it. */
export interface Answer {
  readonly rows?: Rows;
  readonly fails?: Failure;
  /** Time on the mock's clock that the run takes. */
  readonly after?: Duration;
  /** Poll at which the run ends. */
  readonly afterPolls?: number;
  /** Runs that get this answer. @default 1, and of the last answer all further runs */
  readonly times?: number;
}

/** States of a scenario, as WireMock has them: a stub matches in one state and moves the scenario to another. */
export interface ScenarioStep {
  /** State in which the stub matches; a scenario begins as `Started`. @default any state */
  readonly requiredState?: string;
  /** State of the scenario after a run was created by the stub. @default the same state */
  readonly newState?: string;
}

/** Answer to the statements that it matches. Each call refines it and returns it. */
export interface Stub {
  /** @throws TypeError where they are no rows that the contract knows. */
  rows(rows: Rows): Stub;
  /** @throws TypeError where the failure is none that the contract knows. */
  fails(failure: Failure): Stub;
  /** Runs take this long on the mock's clock. */
  after(duration: Duration): Stub;
  /** Runs end at the nth poll of that run. @default 1 */
  afterPolls(polls: number): Stub;
  /** Answers one run, like `times(1)`; later runs are answered by the stubs made before. */
  once(): Stub;
  /** Answers so many runs; later runs are answered by the stubs made before, if any of those matches. */
  times(runs: number): Stub;
  /** Answers one run after another: `sequence([{ fails, times: 2 }, { rows }])` fails twice, then succeeds. The last answer repeats. */
  sequence(answers: readonly Answer[]): Stub;
  /** Makes the stub part of a scenario, whose state decides which of several stubs matches. */
  scenario(name: string, step: ScenarioStep): Stub;
  /**
   * Gives results of a method about these statements other members than they should have, at any depth, unchecked against the contract:
   * `unsafe("getQueryRunResults", { columnTypes: ["money"] })`. The history lists such answers.
   * @throws TypeError where the method does not exist.
   */
  unsafe(method: UnsafeMethod, change: Change): Stub;
}

/** Mutable part of a stub. */
export interface StubState {
  plan: Plan;
  /** Plans by the number of runs after which each ends. */
  sequence: readonly { readonly end: number; readonly plan: Plan }[];
  maxRuns: number;
  scenario: ({ readonly name: string } & ScenarioStep) | undefined;
}

const checkFailure = memberCheck<Failure>("fails", {
  errorName: { type: "string" },
  errorMessage: { type: "string" },
  errorData: { type: "object" },
});
const checkAnswer = memberCheck<Answer>("sequence", {
  rows: {},
  fails: { type: "object" },
  after: { type: ["number", "string"] },
  afterPolls: { type: "number" },
  times: { type: "number" },
});
const checkStep = memberCheck<ScenarioStep>("scenario", {
  requiredState: { type: "string" },
  newState: { type: "string" },
});

export function createStub(state: StubState): Stub {
  const refine = (plan: Plan): Stub => {
    state.plan = { ...state.plan, ...plan };
    return stub;
  };
  const stub: Stub = {
    rows(rows) {
      refuseSecond("rows", "fails", state.plan.outcome?.failure);
      refuseSecond("rows", "sequence", state.sequence[0]);
      return refine({ outcome: { result: resultSet(rows) } });
    },
    fails(failure) {
      refuseSecond("fails", "rows", state.plan.outcome?.result);
      refuseSecond("fails", "sequence", state.sequence[0]);
      checkFailure(failure);
      return refine({ outcome: failedOutcome(failure) });
    },
    after(duration) {
      refuseSecond("after", "afterPolls", pollsOf(state.plan));
      return refine({ script: timeScript(duration) });
    },
    afterPolls(polls) {
      if (pollsOf(state.plan) === undefined) refuseSecond("afterPolls", "after", state.plan.script);
      return refine({ script: pollScript(polls) });
    },
    once: () => stub.times(1),
    times(runs) {
      state.maxRuns = wholeNumber("times", runs);
      return stub;
    },
    sequence(answers) {
      if (!Array.isArray(answers) || answers.length === 0)
        throw new TypeError("sequence: expected an array of at least one answer, { rows } or { fails }");
      refuseSecond("sequence", state.plan.outcome?.result ? "rows" : "fails", state.plan.outcome);
      state.sequence = sequenceOf(answers);
      return stub;
    },
    scenario(name, step) {
      if (typeof name !== "string")
        throw new TypeError(`scenario: invalid name: expected a string, got ${typeof name}`);
      checkStep(step);
      state.scenario = { name, ...step };
      return stub;
    },
    unsafe: (method, change) => refine({ untruths: { ...state.plan.untruths, ...untruth(method, change) } }),
  };
  return stub;
}

function pollsOf({ script }: Plan): number | undefined {
  return script && "polls" in script ? script.polls : undefined;
}

function refuseSecond(member: string, other: string, present: unknown): void {
  if (present === undefined) return;
  throw new TypeError(
    `${member}: the stub already has ${other}; give one of both, or several answers in order by sequence([...])`,
  );
}

function wholeNumber(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new RangeError(`${name}: expected a whole number from 1, got ${JSON.stringify(value)}`);
}

function sequenceOf(answers: readonly Answer[]): StubState["sequence"] {
  let end = 0;
  return answers.map((answer, at) => {
    checkAnswer(answer);
    const { rows, fails, after, afterPolls, times } = answer;
    // A stub of its own refuses what a stub refuses.
    const state: StubState = { plan: {}, sequence: [], maxRuns: Number.POSITIVE_INFINITY, scenario: undefined };
    const step = createStub(state);
    if (rows !== undefined) step.rows(rows);
    if (fails !== undefined) step.fails(fails);
    if (after !== undefined) step.after(after);
    if (afterPolls !== undefined) step.afterPolls(afterPolls);
    const isLast = at === answers.length - 1;
    end += times === undefined ? (isLast ? Number.POSITIVE_INFINITY : 1) : wholeNumber("times", times);
    return { end, plan: state.plan };
  });
}
