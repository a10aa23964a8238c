import { byteLength, MethodError } from "@quern/json-rpc/handler";
import { createQueryRunParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { CreateQueryRunParams, CreateQueryRunResult, FirstPageParams } from "@quern/protocol/types";
import { idempotencyText } from "@quern/query-run/idempotency";
import { createRequest, createRun, isFinal, type RequestRecord, type StatementRecord } from "@quern/query-run/record";
import { clampMaxAgeMinutes, clampResultTTLHours } from "@quern/query-run/retention";
import { reuseKeyText } from "@quern/query-run/reuse";
import { sqlIssues } from "@quern/query-run/sql-limits";
import { decideSubmission, type SubmissionFacts } from "@quern/query-run/submission";
import type { RunUpload } from "@quern/query-run/upload";
import { toQueryRequest, toSqlStatement } from "@quern/query-run/wire";
import { type NamespaceState, userId } from "../namespace/namespace-state.ts";
import { createMockRun, type MockRun } from "../runs/mock-run.ts";
import { sha256 } from "../sha256.ts";
import { defaultSource, queryOf } from "../statement/query.ts";
import { type ContractMethod, invalidParams, methodsWith } from "../wire/contract-methods.ts";
import { currentQueryRun } from "./current-query-run.ts";
import { resultPage } from "./get-query-run-results.ts";
import { type Context, findRun, findStatement } from "./lookup.ts";
import { findUploads, uploadNotFound } from "./run-uploads.ts";

const statementTimeoutSeconds = 1_200;
const tenantId = "mock";
const pageMethods = methodsWith(({ pages }) => pages);
const pollMethods = methodsWith(({ final }) => final);

export async function createQueryRun(params: CreateQueryRunParams, context: Context): Promise<CreateQueryRunResult> {
  const { principal } = context;
  const issues = sqlIssues(params.sql);
  if (issues.length > 0) throw invalidParams(issues);
  const submission = submissionOf(params, principal);
  if (params.maxAgeMinutes) await updateAll(principal.runsByReuseKey(submission.reuseKey));
  // Synchronous, so that the calls of a batch see each other's runs and keys.
  const request = submit(submission, principal);
  const run = findRun(principal, request.queryRunId);
  const { statement } = findStatement(principal, request.sqlStatementId);
  // During the wait the namespace may be reset, which is why the run and the statement are looked up before.
  await waitForEnd(run, params, context);
  const created = {
    queryRequest: toQueryRequest(request),
    queryRun: currentQueryRun(run, principal),
    sqlStatement: toSqlStatement(statement, request, run.record),
  };
  return params.results === undefined ? created : withFirstPage(created, run, params.results, context);
}

/**
 * Holds a call with `waitSeconds` until its run ends. A call that requests the first page returns at once in two cases:
 * if the test changes the answers of polls, so that the client polls; and if the clock is manual, after one poll of the
 * run, because the call would wait until the test advances the clock.
 */
async function waitForEnd(run: MockRun, params: CreateQueryRunParams, context: Context): Promise<void> {
  const { waitSeconds, results } = params;
  if (!waitSeconds) return;
  if (results === undefined) await run.waitForEnd(waitSeconds, context);
  else if (changesAnswer(run, pollMethods, context)) return;
  else if (context.principal.clock.isManual) await run.poll(context.signal);
  else await run.waitForEnd(waitSeconds, context);
}

/** Tells whether a test changes the answers of a method, so that the client has to call it. */
function changesAnswer({ plan }: MockRun, methods: readonly ContractMethod[], { principal }: Context): boolean {
  const { violations = {} } = plan;
  return methods.some((method) => principal.faults.isPlanned(method) || Object.hasOwn(violations, method));
}

/**
 * Adds the first page of a run that has succeeded, unless it has expired or is too large: the run exists, so its caller
 * must learn its id.
 */
function withFirstPage(
  created: CreateQueryRunResult,
  run: MockRun,
  params: FirstPageParams,
  context: Context,
): CreateQueryRunResult {
  if (run.result === undefined || changesAnswer(run, pageMethods, context)) return created;
  const { principal, reserveReply } = context;
  try {
    const results = resultPage(run, params, principal);
    return reserveReply(byteLength(JSON.stringify(results))) ? { ...created, results } : created;
  } catch (error) {
    if (error instanceof MethodError) return created;
    throw error;
  }
}

/** Ends the runs whose end is due. */
async function updateAll(runs: readonly MockRun[]): Promise<void> {
  for (const run of runs) if (!isFinal(run.record.state)) await run.update();
}

/** Call and the values that follow from its params. */
interface Submission {
  readonly params: CreateQueryRunParams;
  readonly statement: StatementRecord;
  readonly reuseKey: string;
  /** Undefined if one of the uploads is missing. */
  readonly uploads: readonly RunUpload[] | undefined;
  readonly maxAgeMinutes: number;
  readonly resultTTLHours: number;
}

function submissionOf(params: CreateQueryRunParams, namespace: NamespaceState): Submission {
  const {
    sql,
    parameters = null,
    maxAgeMinutes = defaults.maxAgeMinutes,
    resultTTLHours = defaults.resultTTLHours,
  } = params;
  const { dataSource = defaultSource.dataSource, dataProvider = defaultSource.dataProvider } = params;
  const statementHash = sha256(sql);
  const uploads = findUploads(params, namespace);
  const files = params.uploads && { uploads };
  return {
    params,
    statement: { id: `st_${statementHash.slice(0, 24)}`, sql, statementHash },
    reuseKey: reuseKeyText({ tenantId, dataProvider, dataSource, dataSourceRevision: "", sql, parameters, ...files }),
    uploads,
    maxAgeMinutes: clampMaxAgeMinutes(maxAgeMinutes),
    resultTTLHours: clampResultTTLHours(resultTTLHours),
  };
}

/** Returns the request that answers a call: the one of an earlier call with the same idempotency key, or a new one. */
function submit(submission: Submission, namespace: NamespaceState): RequestRecord {
  const decided = decideSubmission(factsOf(submission, namespace), namespace.clock.now());
  const { uploads } = submission;
  if (decided.decision !== "repeat" && decided.decision !== "refuse") {
    if (uploads === undefined) throw uploadNotFound(submission.params, namespace);
    for (const { id } of uploads) namespace.uploads.delete(id);
  }
  switch (decided.decision) {
    case "repeat":
      return decided.request;
    case "refuse":
      // A mock does not limit unfinished runs, so a mismatch of the idempotency key is the only refusal.
      throw mismatch(submission.params);
    case "new": {
      const run = newRun(submission, namespace);
      if (decided.isWithdrawn) run.apply({ type: "canceled" });
      return newRequest(submission, run, true, namespace);
    }
    case "reuse":
    case "join": {
      const run = findRun(namespace, decided.run.id);
      run.apply({ type: "requested", resultTTLHours: submission.resultTTLHours });
      return newRequest(submission, run, false, namespace);
    }
  }
}

function factsOf({ params, reuseKey, maxAgeMinutes }: Submission, namespace: NamespaceState): SubmissionFacts {
  const { idempotencyKey = "" } = params;
  const earlier = namespace.idempotentRequests.get(idempotencyKey);
  return {
    maxAgeMinutes,
    earlier: earlier && { request: earlier.request, isSame: earlier.text === idempotencyText(params) },
    withdrawnAt: namespace.withdrawnKeys.get(idempotencyKey),
    get candidates() {
      return namespace.runsByReuseKey(reuseKey).map(({ record }) => record);
    },
    capacity: undefined,
  };
}

function mismatch({ idempotencyKey }: CreateQueryRunParams): Error {
  const expected = "a new key, or the params of the earlier call with this key";
  const issue = { pointer: "/idempotencyKey", expected, received: JSON.stringify(idempotencyKey) };
  return invalidParams([issue], "IdempotencyMismatch");
}

function newRequest(
  { params, statement, maxAgeMinutes, resultTTLHours }: Submission,
  run: MockRun,
  triggeredQueryRun: boolean,
  namespace: NamespaceState,
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
  const requested = statements.get(statement.id);
  if (requested === undefined) statements.set(statement.id, { statement, requests: [request] });
  else requested.requests.push(request);
  if (idempotencyKey !== undefined) idempotentRequests.set(idempotencyKey, { request, text: idempotencyText(params) });
  return request;
}

function newRun({ params, statement, reuseKey, resultTTLHours }: Submission, namespace: NamespaceState): MockRun {
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
