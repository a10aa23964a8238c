import type { Submission, SubmissionOutcome } from "@quern/adapter";
import {
  createRequest,
  createRun,
  type Instant,
  isFinal,
  type RequestRecord,
  type RunRecord,
  type StatementRecord,
} from "@quern/query-run/record";
import { decideSubmission, type SubmissionDecision } from "@quern/query-run/submission";
import { transition } from "@quern/query-run/transition";
import { applyEvent } from "./changes.ts";
import { conflict, type Database, type Queries, type Transaction } from "./database.ts";
import { insertRequest } from "./idempotency.ts";
import { createLanes } from "./lanes.ts";
import type { AddNotice, Notices } from "./notices.ts";
import { insertRun, parsed, readRun, type StoredRun } from "./run-records.ts";
import {
  type Answers,
  lockTenant,
  type NewRunFacts,
  readAnswers,
  readExactFacts,
  readNewRunFacts,
} from "./submission-facts.ts";

/**
 * Creates the function that answers submissions. `decideSubmission` of `@quern/query-run` makes each decision; this
 * module loads the facts for it and stores its outcome. A repeated call takes no lock, nor does one that a result answers
 * without a longer retention.
 */
export function createSubmit(
  database: Database,
  notices: Notices,
): (submission: Submission) => Promise<SubmissionOutcome> {
  const lanes = createLanes();
  return async (submission) => {
    // Equal calls on this server are answered in their order, so that the first of them triggers the run.
    const { earlier, leave } = lanes.enter(submission.run.reuseKey);
    try {
      return (await answerWithoutLock(database, submission)) ?? (await afterEarlier());
    } finally {
      leave();
    }

    async function afterEarlier(): Promise<SubmissionOutcome> {
      await earlier;
      return notices.change((queries, addNotice) => answerWithLock(queries, addNotice, submission));
    }
  };
}

/** Answers a repeated submission, and one that a result answers. Returns undefined for others, and if a run must change. */
async function answerWithoutLock(database: Database, submission: Submission): Promise<SubmissionOutcome | undefined> {
  if (submission.idempotency === null && submission.request.maxAgeMinutes === 0) return undefined;
  const answers = await readAnswers(database, submission);
  const decided = decide(submission, answers);
  switch (decided.decision) {
    case "repeat":
      return repeated(database, decided.request);
    case "refuse":
      return decided.refusal;
    case "reuse":
      return reuse(database, submission, decided.run, answers);
    case "new":
    case "join":
      return undefined;
  }
}

/** Adds a request to a run that succeeded, unless that must extend the retention of the result. */
async function reuse(
  database: Database,
  submission: Submission,
  run: RunRecord,
  { now }: Answers,
): Promise<SubmissionOutcome | undefined> {
  const next = transition(run, { type: "requested", resultTTLHours: submission.request.resultTTLHours }, now);
  if (next.accepted && next.run !== run) return undefined;
  const request = requestOf(submission, run, false, now);
  const statement = await statementOf(database, run);
  try {
    await insertRequest(database, submission, run, request, false);
  } catch (error) {
    if (error === conflict) return undefined;
    throw error;
  }
  return { outcome: "accepted", run, request, statement, repeated: false };
}

async function answerWithLock(
  queries: Transaction,
  addNotice: AddNotice,
  submission: Submission,
): Promise<SubmissionOutcome> {
  // Sent together. Each statement is executed after those before it, so what it reads was committed when the lock is held.
  const [, answers, found] = await Promise.all([
    lockTenant(queries, submission.run.tenantId),
    readAnswers(queries, submission),
    readNewRunFacts(queries, submission),
  ]);
  const { now } = answers;
  const first = decide(submission, answers);
  switch (first.decision) {
    case "repeat":
      return repeated(queries, first.request);
    case "refuse":
      return first.refusal;
    case "reuse":
    case "join":
      return join(queries, addNotice, submission, storedOf(answers, first.run), now);
    case "new": {
      const facts = await readExactFacts(queries, submission, found);
      const decided = decide(submission, answers, facts);
      if (decided.decision === "refuse") return decided.refusal;
      return insertNew(queries, addNotice, submission, facts, first.isWithdrawn, now);
    }
  }
}

function decide({ request }: Submission, answers: Answers, facts?: NewRunFacts): SubmissionDecision {
  const { earlier, withdrawnAt, now } = answers;
  const candidates = answers.candidates.map(({ run }) => run);
  const { maxAgeMinutes } = request;
  return decideSubmission({ maxAgeMinutes, earlier, withdrawnAt, candidates, capacity: facts?.capacity }, now);
}

function storedOf({ candidates }: Answers, run: RunRecord): StoredRun {
  const found = candidates.find((candidate) => candidate.run === run);
  if (found === undefined) throw new Error(`run ${run.id} is no candidate`);
  return found;
}

/** Adds a request to an existing run, which may extend the retention of its result. */
async function join(
  queries: Queries,
  addNotice: AddNotice,
  submission: Submission,
  before: StoredRun,
  now: Instant,
): Promise<SubmissionOutcome> {
  const { resultTTLHours } = submission.request;
  const attached = await applyEvent(queries, addNotice, before, { type: "requested", resultTTLHours }, now);
  const run = attached.accepted ? attached.run : before.run;
  if (!attached.accepted && !isFinal(run.state)) throw conflict;
  return accepted(queries, submission, run, false, false, now);
}

async function insertNew(
  queries: Transaction,
  addNotice: AddNotice,
  submission: Submission,
  facts: NewRunFacts,
  isWithdrawn: boolean,
  now: Instant,
): Promise<SubmissionOutcome> {
  const statement = facts.statement ?? submission.statement;
  const { tenantId } = submission.run;
  const run = createRun({ ...submission.run, sqlStatementId: statement.id }, now);
  // Sent together. If one fails, so do those after it.
  const inserts: Promise<unknown>[] = [];
  if (facts.statement === undefined)
    inserts.push(
      queries.rows(
        "INSERT INTO statements (id, tenant_id, hash, record) VALUES ($1, $2, $3, $4)",
        statement.id,
        tenantId,
        statement.statementHash,
        JSON.stringify(statement),
      ),
    );
  inserts.push(insertRun(queries, run, submission.caps.maxRunningRuns ?? null));
  if (!isWithdrawn) {
    addNotice(run, 1);
    // With an idempotency key, another call can be faster, so that the transaction is rolled back.
    const last = submission.idempotency === null ? { ...queries, rows: queries.lastRows } : queries;
    const answer = accepted(last, submission, run, true, false, now, statement);
    return (await Promise.all([answer, ...inserts]))[0];
  }
  await Promise.all(inserts);
  // A call that was withdrawn before it arrived gets a run that never executes.
  const canceled = await applyEvent(queries, addNotice, { run, version: 1 }, { type: "canceled" }, now);
  if (!canceled.accepted) throw new Error(`a new run cannot be canceled: ${canceled.refusal}`);
  return accepted(queries, submission, canceled.run, true, true, now, statement);
}

/** Stores the request, and returns it with its run. */
async function accepted(
  queries: Queries,
  submission: Submission,
  run: RunRecord,
  triggeredQueryRun: boolean,
  isWithdrawn: boolean,
  now: Instant,
  statement?: StatementRecord,
): Promise<SubmissionOutcome> {
  const request = requestOf(submission, run, triggeredQueryRun, now);
  await insertRequest(queries, submission, run, request, isWithdrawn);
  const known = statement ?? (await statementOf(queries, run));
  return { outcome: "accepted", run, request, statement: known, repeated: false };
}

function requestOf(submission: Submission, run: RunRecord, triggeredQueryRun: boolean, now: Instant): RequestRecord {
  const { userId, tags } = submission.run;
  const requested = { ...submission.request, userId, tags, idempotencyKey: submission.idempotency?.key ?? null };
  return createRequest(requested, run, triggeredQueryRun, now);
}

/** Returns the earlier request and its run, for a repeated call with the same idempotency key. */
async function repeated(queries: Queries, request: RequestRecord): Promise<SubmissionOutcome> {
  const stored = await readRun(queries, request.queryRunId);
  if (stored === undefined) throw new Error(`request ${request.id} has no run`);
  const { run } = stored;
  return { outcome: "accepted", run, request, statement: await statementOf(queries, run), repeated: true };
}

async function statementOf(queries: Queries, { id, tenantId, sqlStatementId }: RunRecord): Promise<StatementRecord> {
  const [row] = await queries.rows(
    "SELECT record FROM statements WHERE tenant_id = $1 AND id = $2",
    tenantId,
    sqlStatementId,
  );
  if (row === undefined) throw new Error(`run ${id} has no statement`);
  return parsed<StatementRecord>(row.record);
}
