import type { QueryRunErrorData } from "@quern/protocol/types";
import { getQueryRunResult } from "@quern/protocol/validators";
import type { RunFailure } from "@quern/query-run/record";
import { defaults } from "../generated/defaults.ts";
import type { ResultSet } from "../results/result-set.ts";
import type { Untruths } from "../unsafe/untruth.ts";
import type { RunScript } from "./run-script.ts";

/** Failure of a run. */
export interface Failure {
  /** Kind of the failure, for instance `BinderError`; `QueryRunTimedOut` marks a timeout. */
  readonly errorName?: string;
  readonly errorMessage: string;
  readonly errorData?: QueryRunErrorData;
}

/** Outcome of a statement. */
export type Outcome =
  | { readonly result: ResultSet; readonly failure?: undefined }
  | { readonly failure: RunFailure; readonly result?: undefined };

/** Decisions of a stub for one run; they are made when the run is created, and stay. */
export interface Plan {
  readonly outcome?: Outcome;
  readonly script?: RunScript;
  readonly untruths?: Untruths;
  /** Text of the stub's matcher; undefined where no stub matches. */
  readonly stub?: string;
}

/** Outcome of a statement for which a test's own function throws. */
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

/** Outcome of a statement that fails. @throws TypeError where the document does not allow the failure. */
export function failedOutcome(told: Failure): Outcome {
  const failure = runFailure(told);
  const { name: errorName, message: errorMessage, data: errorData } = failure;
  const { queryRun } = defaults.getQueryRun;
  const answer = { queryRun: { ...queryRun, state: "QUERY_STATE_FAILED", errorName, errorMessage, errorData } };
  const { issues } = getQueryRunResult["~standard"].validate(answer);
  const [issue] = issues ?? [];
  if (issue === undefined) return { failure };
  const member = issue.path.slice(1).join(".");
  throw new TypeError(`fails: invalid ${member}: expected ${issue.expected}, got ${issue.received}`);
}
