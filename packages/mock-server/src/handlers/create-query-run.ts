import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import { idempotencyText } from "@quern/query-run/idempotency";
import { sqlIssues } from "@quern/query-run/limits";
import { createRequest, createRun, isFinal, type RequestRecord, type StatementRecord } from "@quern/query-run/record";
import { clampMaxAgeMinutes, clampResultTTLHours } from "@quern/query-run/retention";
import { reuseKeyText } from "@quern/query-run/reuse";
import { decideSubmission, type SubmissionFacts } from "@quern/query-run/submission";
import { toQueryRequest, toQueryRun, toSqlStatement } from "@quern/query-run/wire";
import { type Namespace, userId } from "../namespaces/namespace.ts";
import { createMockRun, type MockRun } from "../runs/mock-run.ts";
import { sha256 } from "../sha256.ts";
import { defaultSource, queryOf } from "../stubs/matcher.ts";
import { invalidParams } from "../wire/declared-error.ts";
import type { Context } from "./context.ts";
import { foundRun } from "./found-run.ts";
import { askedStatement, statementOf } from "./statement.ts";

const statementTimeoutSeconds = 1_200;
const tenantId = "mock";

export async function createQueryRun(params: CreateQueryRunParams, context: Context): Promise<CreateQueryRunResult> {
  const { principal } = context;
  const issues = sqlIssues(params.sql);
  if (issues.length > 0) throw invalidParams(issues);
  const statementHash = sha256(params.sql);
  if (params.maxAgeMinutes) await lookAt(principal.runsAlike(reuseKeyOf(params)));
  // Nothing is awaited in here, so that calls of one batch see each other's runs and keys.
  const request = submitted(params, statementHash, principal);
  const run = foundRun(principal, request.queryRunId);
  const { statement } = askedStatement(principal, request.sqlStatementId);
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

/** Returns the request that answers a call: the one of an earlier call with the same idempotency key, or a new one. */
function submitted(params: CreateQueryRunParams, statementHash: string, namespace: Namespace): RequestRecord {
  const { idempotencyKey } = params;
  const now = namespace.clock.now();
  const resultTTLHours = clampResultTTLHours(params.resultTTLHours ?? 1);
  const reuseKey = reuseKeyOf(params);
  const decided = decideSubmission(factsOf(params, reuseKey, namespace), now);
  if (decided.decision === "repeat") return decided.request;
  // Without caps, nothing else is refused.
  if (decided.decision === "refuse") throw mismatch(idempotencyKey);
  const existing = decided.decision === "new" ? undefined : namespace.runs.get(decided.run.id);
  existing?.apply({ type: "requested", resultTTLHours });
  const run = existing ?? newRun(params, { namespace, statementHash, reuseKey, resultTTLHours });
  if (decided.decision === "new" && decided.isWithdrawn) run.apply({ type: "canceled" });
  const asked = {
    id: namespace.nextId("req"),
    userId,
    tags: params.tags ?? {},
    maxAgeMinutes: maxAgeOf(params),
    resultTTLHours,
    idempotencyKey: idempotencyKey ?? null,
  };
  const request = createRequest(asked, run.record, existing === undefined, now);
  run.requests.add(request.id);
  keepStatement(statementOf(params.sql, statementHash), request, namespace);
  if (idempotencyKey !== undefined)
    namespace.idempotentRequests.set(idempotencyKey, { request, text: idempotencyText(params) });
  return request;
}

function maxAgeOf({ maxAgeMinutes = 0 }: CreateQueryRunParams): number {
  return clampMaxAgeMinutes(maxAgeMinutes);
}

function factsOf(params: CreateQueryRunParams, reuseKey: string, namespace: Namespace): SubmissionFacts {
  const { idempotencyKey = "" } = params;
  const earlier = namespace.idempotentRequests.get(idempotencyKey);
  return {
    maxAgeMinutes: maxAgeOf(params),
    earlier: earlier && { request: earlier.request, isSame: earlier.text === idempotencyText(params) },
    withdrawnAt: namespace.withdrawnKeys.get(idempotencyKey),
    get candidates() {
      return namespace.runsAlike(reuseKey).map(({ record }) => record);
    },
    capacity: undefined,
  };
}

function mismatch(idempotencyKey: string | undefined): Error {
  const expected = "a key that was not used with other members";
  const issue = { pointer: "/idempotencyKey", expected, received: JSON.stringify(idempotencyKey) };
  return invalidParams([issue], "IdempotencyMismatch");
}

function keepStatement(statement: StatementRecord, request: RequestRecord, { statements }: Namespace): void {
  const asked = statements.get(statement.id);
  if (asked === undefined) statements.set(statement.id, { statement, requests: [request] });
  else asked.requests.push(request);
}

function reuseKeyOf({ sql, parameters, ...source }: CreateQueryRunParams): string {
  const { dataSource = defaultSource.dataSource, dataProvider = defaultSource.dataProvider } = source;
  return reuseKeyText({
    tenantId,
    dataProvider,
    dataSource,
    dataSourceRevision: "",
    sql,
    parameters: parameters ?? null,
  });
}

interface Origin {
  readonly namespace: Namespace;
  readonly statementHash: string;
  readonly reuseKey: string;
  readonly resultTTLHours: number;
}

function newRun(params: CreateQueryRunParams, { namespace, statementHash, reuseKey, resultTTLHours }: Origin): MockRun {
  const { clock } = namespace;
  const query = queryOf(params);
  const { sql, parameters, tags, dataSource } = query;
  const record = createRun(
    {
      id: namespace.nextId("run"),
      tenantId,
      userId,
      sqlStatementId: statementOf(sql, statementHash).id,
      dataSourceId: dataSource,
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
