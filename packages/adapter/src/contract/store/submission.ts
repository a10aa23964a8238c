import type { NewRun } from "@quern/query-run/record";
import type { Submission, SubmissionOutcome } from "../../store/run-store.ts";

let count = 0;

/** Returns a new submission. Its ids, reuse key and statement are unique unless they are given. */
export function submission(change: Partial<NewRun> = {}, more: Partial<Submission> = {}): Submission {
  const number = String(++count).padStart(4, "0");
  const run: NewRun = {
    id: `run_${number}`,
    tenantId: "tenant",
    userId: "user",
    sqlStatementId: `st_${number}`,
    dataSourceId: "source",
    reuseKey: `key_${number}`,
    parameters: null,
    tags: {},
    statementTimeoutSeconds: 60,
    resultTTLHours: 1,
    ...change,
  };
  return {
    run,
    request: { id: `req_${number}`, maxAgeMinutes: 0, resultTTLHours: 1 },
    statement: { id: `st_${number}`, sql: `select ${number}`, statementHash: `hash_${number}` },
    caps: {},
    idempotency: null,
    ...more,
  };
}

export type Accepted = Extract<SubmissionOutcome, { outcome: "accepted" }>;

/** Narrows an outcome to an accepted one. @throws if the submission was refused */
export function accepted(outcome: SubmissionOutcome): Accepted {
  if (outcome.outcome !== "accepted") throw new Error(outcome.outcome);
  return outcome;
}
