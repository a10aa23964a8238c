import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import { idempotencyText, isRemembered } from "@quern/query-run/idempotency";
import { sqlIssues } from "@quern/query-run/limits";
import { createRun, isFinal, type RequestRecord } from "@quern/query-run/record";
import { clampMaxAgeMinutes, clampResultTTLHours } from "@quern/query-run/retention";
import { chooseRun, reuseKeyText } from "@quern/query-run/reuse";
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
  const request = repeatedRequest(params, principal) ?? newRequest(params, statementHash, principal);
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

/** The request an earlier call with the same idempotency key made. */
function repeatedRequest(params: CreateQueryRunParams, namespace: Namespace): RequestRecord | undefined {
  const { idempotencyKey = "" } = params;
  const earlier = namespace.idempotentRequests.get(idempotencyKey);
  if (earlier === undefined || !isRemembered(earlier.request.createdAt, namespace.clock.now())) return undefined;
  if (earlier.text === idempotencyText(params)) return earlier.request;
  const expected = "a key that was not used with other members";
  const issue = { pointer: "/idempotencyKey", expected, received: JSON.stringify(idempotencyKey) };
  throw invalidParams([issue], "IdempotencyMismatch");
}

function newRequest(params: CreateQueryRunParams, statementHash: string, namespace: Namespace): RequestRecord {
  const { idempotencyKey } = params;
  const now = namespace.clock.now();
  const maxAgeMinutes = clampMaxAgeMinutes(params.maxAgeMinutes ?? 0);
  const resultTTLHours = clampResultTTLHours(params.resultTTLHours ?? 1);
  const reuseKey = reuseKeyOf(params);
  const withdrawnAt = namespace.withdrawnKeys.get(idempotencyKey ?? "");
  const isWithdrawn = withdrawnAt !== undefined && isRemembered(withdrawnAt, now);
  const existing = isWithdrawn ? undefined : existingRun(namespace, reuseKey, maxAgeMinutes);
  existing?.apply({ type: "requested", resultTTLHours });
  const run = existing ?? newRun(params, { namespace, statementHash, reuseKey, resultTTLHours });
  if (isWithdrawn) run.apply({ type: "canceled" });
  const request: RequestRecord = {
    id: namespace.nextId("req"),
    queryRunId: run.record.id,
    sqlStatementId: run.record.sqlStatementId,
    userId,
    tags: params.tags ?? {},
    maxAgeMinutes,
    resultTTLHours,
    triggeredQueryRun: existing === undefined,
    idempotencyKey: idempotencyKey ?? null,
    createdAt: now,
    updatedAt: now,
  };
  run.requests.add(request.id);
  const { sqlStatementId } = request;
  const asked = namespace.statements.get(sqlStatementId);
  if (asked !== undefined) asked.requests.push(request);
  else
    namespace.statements.set(sqlStatementId, {
      statement: statementOf(params.sql, statementHash),
      requests: [request],
    });
  if (idempotencyKey !== undefined)
    namespace.idempotentRequests.set(idempotencyKey, { request, text: idempotencyText(params) });
  return request;
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

function existingRun(namespace: Namespace, reuseKey: string, maxAgeMinutes: number): MockRun | undefined {
  if (maxAgeMinutes === 0) return undefined;
  const records = namespace.runsAlike(reuseKey).map(({ record }) => record);
  const chosen = chooseRun(records, maxAgeMinutes, namespace.clock.now());
  return chosen && namespace.runs.get(chosen.id);
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
