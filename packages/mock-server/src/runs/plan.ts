import type { QueryRunErrorData } from "@quern/protocol/types";
import { getQueryRunResult } from "@quern/protocol/validators";
import type { RunFailure } from "@quern/query-run/record";
import type { ContractViolations } from "../contract-violation/contract-violation.ts";
import { defaults } from "../generated/defaults.ts";
import type { ResultSet } from "../results/result-set.ts";
import type { RunScript } from "./run-script.ts";

/** Failure of a run. */
export interface Failure {
  /** Kind of the failure, such as `BinderError`; `QueryRunTimedOut` marks a timeout. @default "QueryFailed" */
  readonly errorName?: string;
  readonly errorMessage: string;
  /** @default { category: "USER" } */
  readonly errorData?: QueryRunErrorData;
}

/** Outcome of a statement. */
export type Outcome =
  | { readonly result: ResultSet; readonly failure?: undefined }
  | { readonly failure: RunFailure; readonly result?: undefined };

/** Decisions of a stub for one run, made when the run is created; or for one `describeQuery` call. */
export interface Plan {
  readonly outcome?: Outcome;
  readonly script?: RunScript;
  /** Id of the query in the engine. */
  readonly dataSourceQueryId?: string;
  readonly violations?: ContractViolations;
  /** Text of the stub's matcher; undefined if no stub matches. */
  readonly stub?: string;
}

/** Returns the outcome of a statement that fails with an error, such as one that a function of the test threw. */
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

/**
 * Returns the outcome of a failing statement.
 * @throws TypeError for a failure that the OpenRPC document does not allow.
 */
export function failedOutcome(given: Failure): Outcome {
  const failure = runFailure(given);
  const { name: errorName, message: errorMessage, data: errorData } = failure;
  const { queryRun } = defaults.getQueryRun;
  const answer = { queryRun: { ...queryRun, state: "QUERY_STATE_FAILED", errorName, errorMessage, errorData } };
  const { issues } = getQueryRunResult["~standard"].validate(answer);
  const [issue] = issues ?? [];
  if (issue === undefined) return { failure };
  const member = issue.path.slice(1).join(".");
  throw new TypeError(`fails: invalid ${member}: expected ${issue.expected}, got ${issue.received}`);
}
