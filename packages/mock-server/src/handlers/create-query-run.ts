import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import { idempotencyText } from "@quern/query-run/idempotency";
import { sqlIssues } from "@quern/query-run/limits";
import { createRequest, createRun, isFinal, type RequestRecord, type StatementRecord } from "@quern/query-run/record";
import { clampMaxAgeMinutes, clampResultTTLHours } from "@quern/query-run/retention";
import { reuseKeyText } from "@quern/query-run/reuse";
import { decideSubmission, type SubmissionFacts } from "@quern/query-run/submission";
import { toQueryRequest, toQueryRun, toSqlStatement } from "@quern/query-run/wire";
import { type Namespace, userId } from "../namespace/namespace.ts";
import { createMockRun, type MockRun } from "../runs/mock-run.ts";
import { sha256 } from "../sha256.ts";
import { defaultSource, queryOf } from "../statement/query.ts";
import { invalidParams } from "../wire/declared-error.ts";
import { type Context, foundRun, foundStatement } from "./found.ts";

const statementTimeoutSeconds = 1_200;
const tenantId = "mock";

export async function createQueryRun(params: CreateQueryRunParams, context: Context): Promise<CreateQueryRunResult> {
  const { principal } = context;
  const issues = sqlIssues(params.sql);
  if (issues.length > 0) throw invalidParams(issues);
  const submission = submissionOf(params);
  if (params.maxAgeMinutes) await lookAt(principal.runsAlike(submission.reuseKey));
  // Nothing is awaited in here, so that calls of one batch see each other's runs and keys.
  const request = submitted(submission, principal);
  const run = foundRun(principal, request.queryRunId);
  const { statement } = foundStatement(principal, request.sqlStatementId);
  // From here on the namespace may be reset.
  if (params.waitSeconds) await run.settled(params.waitSeconds, context);
  return {
    queryRequest: toQueryRequest(request),
    queryRun: toQueryRun(run.record, principal.clock.now()),
    sqlStatement: toSqlStatement(statement, request, run.record),
  };
}

/** Lets runs end that are due by now. */
async function lookAt(runs: readonly MockRun[]): Promise<void> {
  for (const run of runs) if (!isFinal(run.record.state)) await run.look();
}

/** A call and what follows from its params. */
interface Submission {
  readonly params: CreateQueryRunParams;
  readonly statement: StatementRecord;
  readonly reuseKey: string;
  readonly maxAgeMinutes: number;
  readonly resultTTLHours: number;
}

function submissionOf(params: CreateQueryRunParams): Submission {
  const { sql, parameters = null, maxAgeMinutes = 0, resultTTLHours = 1 } = params;
  const { dataSource = defaultSource.dataSource, dataProvider = defaultSource.dataProvider } = params;
  const statementHash = sha256(sql);
  return {
    params,
    statement: { id: `st_${statementHash.slice(0, 24)}`, sql, statementHash },
    reuseKey: reuseKeyText({ tenantId, dataProvider, dataSource, dataSourceRevision: "", sql, parameters }),
    maxAgeMinutes: clampMaxAgeMinutes(maxAgeMinutes),
    resultTTLHours: clampResultTTLHours(resultTTLHours),
  };
}

/** Returns the request that answers a call: the one of an earlier call with the same idempotency key, or a new one. */
function submitted(submission: Submission, namespace: Namespace): RequestRecord {
  const decided = decideSubmission(factsOf(submission, namespace), namespace.clock.now());
  switch (decided.decision) {
    case "repeat":
      return decided.request;
    case "refuse":
      // Without caps, nothing else is refused.
      throw mismatch(submission.params);
    case "new": {
      const run = newRun(submission, namespace);
      if (decided.isWithdrawn) run.apply({ type: "canceled" });
      return newRequest(submission, run, true, namespace);
    }
    case "reuse":
    case "join": {
      const run = foundRun(namespace, decided.run.id);
      run.apply({ type: "requested", resultTTLHours: submission.resultTTLHours });
      return newRequest(submission, run, false, namespace);
    }
  }
}

function factsOf({ params, reuseKey, maxAgeMinutes }: Submission, namespace: Namespace): SubmissionFacts {
  const { idempotencyKey = "" } = params;
  const earlier = namespace.idempotentRequests.get(idempotencyKey);
  return {
    maxAgeMinutes,
    earlier: earlier && { request: earlier.request, isSame: earlier.text === idempotencyText(params) },
    withdrawnAt: namespace.withdrawnKeys.get(idempotencyKey),
    get candidates() {
      return namespace.runsAlike(reuseKey).map(({ record }) => record);
    },
    capacity: undefined,
  };
}

function mismatch({ idempotencyKey }: CreateQueryRunParams): Error {
  const expected = "a key that was not used with other members";
  const issue = { pointer: "/idempotencyKey", expected, received: JSON.stringify(idempotencyKey) };
  return invalidParams([issue], "IdempotencyMismatch");
}

function newRequest(
  { params, statement, maxAgeMinutes, resultTTLHours }: Submission,
  run: MockRun,
  triggeredQueryRun: boolean,
  namespace: Namespace,
): RequestRecord {
  const { tags = {}, idempotencyKey } = params;
  const { clock, statements, idempotentRequests } = namespace;
  const request = createRequest(
    {
      id: namespace.nextId("req"),
      userId,
      tags,
      maxAgeMinutes,
      resultTTLHours,
      idempotencyKey: idempotencyKey ?? null,
    },
    run.record,
    triggeredQueryRun,
    clock.now(),
  );
  run.requests.add(request.id);
  const asked = statements.get(statement.id);
  if (asked === undefined) statements.set(statement.id, { statement, requests: [request] });
  else asked.requests.push(request);
  if (idempotencyKey !== undefined) idempotentRequests.set(idempotencyKey, { request, text: idempotencyText(params) });
  return request;
}

function newRun({ params, statement, reuseKey, resultTTLHours }: Submission, namespace: Namespace): MockRun {
  const { clock } = namespace;
  const { parameters = null, tags = {} } = params;
  const query = queryOf(params);
  const record = createRun(
    {
      id: namespace.nextId("run"),
      tenantId,
      userId,
      sqlStatementId: statement.id,
      dataSourceId: query.dataSource,
      reuseKey,
      parameters,
      tags,
      statementTimeoutSeconds,
      resultTTLHours,
    },
    clock.now(),
  );
  const plan = namespace.planFor(query);
  const run = createMockRun({
    record,
    query,
    plan,
    script: namespace.scriptOf(plan),
    execute: () => namespace.outcomeOf(plan, query),
    clock,
  });
  namespace.addRun(run);
  return run;
}
