import type { QueryRunErrorData } from "@quern/protocol/types";
import { getQueryRunResult } from "@quern/protocol/validators";
import type { RunFailure } from "@quern/query-run/record";
import { defaults } from "../generated/defaults.ts";
import { type ResultSet, type Rows, resultSet } from "../results/result-set.ts";
import { pollScript, type RunScript, timeScript } from "../runs/run-script.ts";
import type { Duration } from "../time/duration.ts";
import { type Change, type UnsafeMethod, type Untruths, untruth } from "../unsafe/untruth.ts";
import { type Condition, condition, type Matcher, type MockQuery } from "./matcher.ts";
import { missText } from "./nearest.ts";

export interface Failure {
  /** Kind of the failure, for instance `BinderError`; `QueryRunTimedOut` marks a timeout. */
  readonly errorName?: string;
  readonly errorMessage: string;
  readonly errorData?: QueryRunErrorData;
}

/** What becomes of the statements it matches. Each call refines it and returns it. */
export interface Stub {
  /** @throws TypeError where they are no rows that the contract knows. */
  rows(rows: Rows): Stub;
  /** @throws TypeError where the failure is none that the contract knows. */
  fails(failure: Failure): Stub;
  /** Runs take this long on the mock's clock. */
  after(duration: Duration): Stub;
  /** Runs end at the nth poll of that run; 1 unless said otherwise. */
  afterPolls(polls: number): Stub;
  /**
   * What a method answers of these statements has other members than it should, at any depth, which nobody holds to the contract:
   * `unsafe("getQueryRunResults", { columnTypes: ["money"] })`. The history tells where it was.
   * @throws TypeError where the method does not exist.
   */
  unsafe(method: UnsafeMethod, change: Change): Stub;
}

/** How a statement ends. */
export type Outcome =
  | { readonly result: ResultSet; readonly failure?: undefined }
  | { readonly failure: RunFailure; readonly result?: undefined };

interface Plan {
  readonly outcome?: Outcome;
  readonly script?: RunScript;
  readonly untruths?: Untruths;
}

/** What is told beside the truth, and the stub that says so. */
interface FoundUntruth {
  readonly change: Change;
  readonly stub: string;
}

export interface Stubs {
  when(matcher: Matcher): Stub;
  /** What the stub made last among those that match says; nothing where none does. A matcher that throws fails the run. */
  planFor(query: MockQuery): Plan;
  /** Why no stub answers a statement; undefined where one does. */
  missOf(query: MockQuery): string | undefined;
  /** Whether any of them is unsafe. */
  readonly areUnsafe: boolean;
  /** What the stub that answers a statement has a method tell beside the truth. */
  untruthFor(query: MockQuery, method: string): FoundUntruth | undefined;
  /** Forgets all of them. */
  clear(): void;
}

export function createStubs(): Stubs {
  let entries: { readonly condition: Condition; plan: Plan }[] = [];
  const entryFor = (query: MockQuery) => entries.findLast(({ condition }) => condition.mismatches(query).length === 0);
  return {
    when(matcher) {
      const entry = { condition: condition(matcher), plan: {} as Plan };
      const refine = (plan: Plan): Stub => {
        entry.plan = { ...entry.plan, ...plan };
        return stub;
      };
      const stub: Stub = {
        rows: (rows) => refine({ outcome: { result: resultSet(rows) } }),
        fails: (failure) => refine({ outcome: { failure: checked(runFailure(failure)) } }),
        after: (duration) => refine({ script: timeScript(duration) }),
        afterPolls: (polls) => refine({ script: pollScript(polls) }),
        unsafe: (method, change) => refine({ untruths: { ...entry.plan.untruths, ...untruth(method, change) } }),
      };
      entries.push(entry);
      return stub;
    },
    planFor(query) {
      try {
        return entryFor(query)?.plan ?? {};
      } catch (error) {
        return { outcome: thrownOutcome(error) };
      }
    },
    missOf(query) {
      try {
        if (entryFor(query) !== undefined) return undefined;
        return missText(
          query,
          entries.map(({ condition }) => condition),
        );
      } catch {
        // The matcher is at fault, and its run fails by it.
        return undefined;
      }
    },
    get areUnsafe() {
      return entries.some(({ plan }) => plan.untruths !== undefined);
    },
    untruthFor(query, method) {
      try {
        const { plan, condition } = entryFor(query) ?? {};
        const change = new Map(Object.entries(plan?.untruths ?? {})).get(method);
        return change && condition && { change, stub: condition.text };
      } catch {
        // The matcher is at fault, and its run fails by it.
        return undefined;
      }
    },
    clear() {
      entries = [];
    },
  };
}

/** The end of a statement at which a test's own function has thrown. */
export function thrownOutcome(error: unknown): Outcome {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { failure: runFailure({ errorName: name, errorMessage: message }) };
}

function runFailure({
  errorName = "QueryFailed",
  errorMessage,
  errorData = { category: "USER" },
}: Failure): RunFailure {
  return { name: errorName, message: errorMessage, data: errorData };
}

/** A failure as a run tells it, once the document allows it. */
function checked(failure: RunFailure): RunFailure {
  const { name: errorName, message: errorMessage, data: errorData } = failure;
  const { queryRun } = defaults.getQueryRun;
  const told = { queryRun: { ...queryRun, state: "QUERY_STATE_FAILED", errorName, errorMessage, errorData } };
  const { issues } = getQueryRunResult["~standard"].validate(told);
  const [issue] = issues ?? [];
  if (issue === undefined) return failure;
  throw new TypeError(
    `the failure is not one of the contract: ${issue.pointer} has to be ${issue.expected}, not ${issue.received}`,
  );
}
