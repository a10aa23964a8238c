import { contractViolation, type StatementMethod } from "../contract-violation/contract-violation.ts";
import { memberCheck } from "../member-check.ts";
import { type Rows, resultSet } from "../results/result-set.ts";
import { type Failure, failedOutcome, type Plan } from "../runs/plan.ts";
import { pollScript, timeScript } from "../runs/run-script.ts";
import type { Duration } from "../time/duration.ts";
import type { ResultOverride } from "../wire/reply.ts";

/**
 * Answer of a stub, or of one step of its sequence: rows or a failure, the duration of the run, and the number of runs.
 */
export interface Answer {
  readonly rows?: Rows;
  readonly fails?: Failure;
  /** Duration of the run on the mock's clock. */
  readonly after?: Duration;
  /** Number of the poll at which the run ends. @default 1 without `after`; with `variationSeed` a number from 1 to 4 */
  readonly afterPolls?: number;
  /** Number of runs that get this answer. @default unlimited; 1 for a step of a sequence that is not its last */
  readonly times?: number;
  /** Id of the query in the engine, from the time at which the run executes. @default none */
  readonly dataSourceQueryId?: string;
}

/** Step of a scenario, as in WireMock: a stub matches in one state, and moves the scenario to another. */
export interface ScenarioStep {
  /** State in which the stub matches; the initial state is `Started`. @default any state */
  readonly requiredState?: string;
  /** State after the stub has answered a run. @default the same state */
  readonly newState?: string;
}

/** Answer to the statements of a matcher. Each method changes the stub and returns it. */
export interface Stub {
  /**
   * Runs succeed with these rows.
   * @throws TypeError for rows that are not valid, and if the stub has `fails` or a `sequence`.
   */
  rows(rows: Rows): Stub;
  /**
   * Runs fail with this failure.
   * @throws TypeError for a failure that the contract does not allow, and if the stub has `rows` or a `sequence`.
   */
  fails(failure: Failure): Stub;
  /**
   * Runs take this long on the mock's clock.
   * @throws RangeError for a duration that is not valid. TypeError if the stub has `afterPolls`.
   */
  after(duration: Duration): Stub;
  /**
   * Each run ends at its nth poll; without this or `after`, at the first, or with `variationSeed` by the fourth.
   * @throws RangeError unless `polls` is a whole number from 1. TypeError if the stub has `after`.
   */
  afterPolls(polls: number): Stub;
  /** Answers one run, as `times(1)`. */
  once(): Stub;
  /** Answers the next `runs` runs; older stubs that match answer later ones. @throws RangeError unless `runs` is a whole number from 1. */
  times(runs: number): Stub;
  /**
   * Runs have this id of the query in the engine from the time at which they execute, such as the id of a query on Trino.
   * @throws TypeError unless `id` is a string with at least one character.
   */
  dataSourceQueryId(id: string): Stub;
  /**
   * Answers run after run: `sequence([{ fails, times: 2 }, { rows }])` fails twice, then succeeds. The last answer
   * repeats, unless it has `times`.
   * @throws TypeError or RangeError for answers that are not valid. TypeError if the stub has `rows` or `fails`.
   */
  sequence(answers: readonly Answer[]): Stub;
  /** Adds the stub to a scenario, whose state decides which of its stubs match. */
  scenario(name: string, step: ScenarioStep): Stub;
  /**
   * Replaces members in the results of a method about these statements, at any depth, without a check against the contract:
   * `violateContract("getQueryRunResults", { columnTypes: ["money"] })`. `history.contractViolations()` lists the answers.
   * @throws TypeError for an unknown method, and for an override that is not an object.
   */
  violateContract(method: StatementMethod, override: ResultOverride): Stub;
}

/** State of a stub, which its methods change. */
export interface StubState {
  plan: Plan;
  /** Plans of a sequence; each answers runs up to the number `end`. */
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
  dataSourceQueryId: { type: "string" },
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
    dataSourceQueryId(id) {
      if (typeof id === "string" && id !== "") return refine({ dataSourceQueryId: id });
      throw new TypeError(`dataSourceQueryId: expected a string that is not empty, got ${JSON.stringify(id)}`);
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
    violateContract: (method, override) =>
      refine({ violations: { ...state.plan.violations, ...contractViolation(method, override) } }),
  };
  return stub;
}

function pollsOf({ script }: Plan): number | undefined {
  return script && "polls" in script ? script.polls : undefined;
}

function refuseSecond(member: string, other: string, present: unknown): void {
  if (present === undefined) return;
  throw new TypeError(
    `${member}: the stub already has ${other}; set only one, or several answers in order with sequence([...])`,
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
    const { rows, fails, after, afterPolls, times, dataSourceQueryId } = answer;
    // A temporary stub applies the checks of a stub to each step.
    const state: StubState = { plan: {}, sequence: [], maxRuns: Number.POSITIVE_INFINITY, scenario: undefined };
    const step = createStub(state);
    if (rows !== undefined) step.rows(rows);
    if (fails !== undefined) step.fails(fails);
    if (after !== undefined) step.after(after);
    if (afterPolls !== undefined) step.afterPolls(afterPolls);
    if (dataSourceQueryId !== undefined) step.dataSourceQueryId(dataSourceQueryId);
    const isLast = at === answers.length - 1;
    end += times === undefined ? (isLast ? Number.POSITIVE_INFINITY : 1) : wholeNumber("times", times);
    return { end, plan: state.plan };
  });
}
