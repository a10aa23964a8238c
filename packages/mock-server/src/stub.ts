import type { QueryRunErrorData } from "@quern/protocol/types";
import type { Parameters, RunFailure, Tags } from "@quern/query-run/record";
import type { Duration } from "./duration.ts";
import { type ResultSet, type Rows, resultSet } from "./result-set.ts";
import { pollScript, type RunScript, timeScript } from "./run-script.ts";
import { normalizedStatement } from "./sql-text.ts";

/** What a stub or `execute` can decide by. */
export interface MockQuery {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly tags: Tags;
  readonly dataSource: string;
}

/** Which statements a stub answers: the same SQL but for white space, comments and letter case; a pattern; or a test. */
export type Matcher = string | RegExp | ((query: MockQuery) => boolean);

export interface Failure {
  /** Kind of the failure, for instance `BinderError`; `QueryRunTimedOut` marks a timeout. */
  readonly errorName?: string;
  readonly errorMessage: string;
  readonly errorData?: QueryRunErrorData;
}

/** What becomes of the statements it matches. Each call refines it and returns it. */
export interface Stub {
  rows(rows: Rows): Stub;
  fails(failure: Failure): Stub;
  /** Runs take this long on the mock's clock. */
  after(duration: Duration): Stub;
  /** Runs end at the nth poll of that run; 1 unless said otherwise. */
  afterPolls(polls: number): Stub;
}

/** How a statement ends. */
export type Outcome =
  | { readonly result: ResultSet; readonly failure?: undefined }
  | { readonly failure: RunFailure; readonly result?: undefined };

interface Plan {
  readonly outcome?: Outcome;
  readonly script?: RunScript;
}

export interface Stubs {
  when(matcher: Matcher): Stub;
  /** What the stub made last among those that match says; nothing where none does. A matcher that throws fails the run. */
  planFor(query: MockQuery): Plan;
}

export function createStubs(): Stubs {
  const entries: { readonly matches: (query: MockQuery) => boolean; plan: Plan }[] = [];
  return {
    when(matcher) {
      const entry = { matches: matchFunction(matcher), plan: {} as Plan };
      const refine = (plan: Plan): Stub => {
        entry.plan = { ...entry.plan, ...plan };
        return stub;
      };
      const stub: Stub = {
        rows: (rows) => refine({ outcome: { result: resultSet(rows) } }),
        fails: (failure) => refine({ outcome: { failure: runFailure(failure) } }),
        after: (duration) => refine({ script: timeScript(duration) }),
        afterPolls: (polls) => refine({ script: pollScript(polls) }),
      };
      entries.push(entry);
      return stub;
    },
    planFor(query) {
      try {
        return entries.findLast(({ matches }) => matches(query))?.plan ?? {};
      } catch (error) {
        return { outcome: thrownOutcome(error) };
      }
    },
  };
}

function matchFunction(matcher: Matcher): (query: MockQuery) => boolean {
  if (typeof matcher === "function") return matcher;
  // `search` starts at the beginning whatever the flags; `test` would go on where it stopped.
  if (matcher instanceof RegExp) return ({ sql }) => sql.search(matcher) >= 0;
  const wanted = normalizedStatement(matcher);
  return ({ sql }) => normalizedStatement(sql) === wanted;
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
