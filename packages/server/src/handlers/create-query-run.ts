import { hash, randomBytes } from "node:crypto";
import type { Idempotency, Source, Submission, SubmissionOutcome } from "@quern/adapter";
import { type Piece, type Preencoded, preencoded } from "@quern/json-rpc/handler";
import { createQueryRunParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import { idempotencyText } from "@quern/query-run/idempotency";
import { isFinal } from "@quern/query-run/record";
import { clampMaxAgeMinutes, clampResultTTLHours } from "@quern/query-run/retention";
import { reuseKeyText } from "@quern/query-run/reuse";
import { type LimitIssue, sqlIssues } from "@quern/query-run/sql-limits";
import type { RunUpload } from "@quern/query-run/upload";
import { toQueryRequest, toSqlStatement } from "@quern/query-run/wire";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import { storageFull } from "../common/method-errors.ts";
import type { Principal } from "../identity/principal.ts";
import type { TenantLimits } from "../identity/tenant-limits.ts";
import type { SpentBudget } from "../telemetry/usage-meter.ts";
import type { Context, Service } from "./context.ts";
import { currentQueryRun } from "./current-query-run.ts";
import { firstPage } from "./first-page.ts";
import { findSource } from "./lookup.ts";
import type { PageDependencies } from "./result-page.ts";
import { findUploads, submitWithUploads, uploadsOfRun } from "./run-uploads.ts";
import { runShown } from "./shown-failure.ts";

export async function createQueryRun(
  params: CreateQueryRunParams,
  context: Context,
  service: PageDependencies &
    Pick<Service, "disk" | "limitsOf" | "progress" | "scheduler" | "sources" | "store" | "telemetry" | "uploads">,
): Promise<CreateQueryRunResult | Preencoded> {
  const { principal } = context;
  const { store, changes } = service;
  const issues = [...sqlIssues(params.sql), ...parameterIssues(params.parameters, service.limits.maxParameterBytes)];
  if (issues.length > 0) throw invalidParams(issues);
  const limits = await service.limitsOf(principal.tenantId);
  const spent = await service.telemetry.usage.spent(principal, limits.monthlyExecSeconds);
  const source = findSource(service.sources, principal, params.dataSource, params.dataProvider);
  const found = await findUploads(params.uploads, source, principal, service);
  const caps = spent === undefined ? limits : noNewRuns;
  const submission = await submissionOf(params, context, service, { source, caps, uploads: uploadsOfRun(found) });
  const { waitSeconds = defaults.waitSeconds, results } = params;
  const submitted = found === undefined ? store.runs.submit(submission) : submitWithUploads(submission, found, service);
  if (found === undefined) service.scheduler.submitting();
  const { run, request, statement, repeated } = accepted(await submitted, spent);
  const isNewRun = request.triggeredQueryRun && !repeated && !isFinal(run.state);
  service.telemetry.requested(context, run, statement.statementHash, isNewRun ? "ran" : "reused");
  const current = await changes.waitForEnd(run, waitSeconds, context);
  const sqlStatement = toSqlStatement(statement, request, current);
  const created: CreateQueryRunResult = {
    queryRequest: toQueryRequest(request),
    queryRun: await currentQueryRun(runShown(current, principal), service),
    // A column of a PIVOT can be named after a value of a row.
    sqlStatement: principal.scopes.has("read") ? sqlStatement : { ...sqlStatement, columnMetadata: null },
  };
  const page = results && (await firstPage(current, results, context, service));
  return page === undefined ? created : withResults(created, page);
}

function withResults(created: CreateQueryRunResult, page: readonly Piece[]): Preencoded {
  return preencoded([`${JSON.stringify(created).slice(0, -1)},"results":`, ...page, "}"]);
}

function parameterIssues(parameters: CreateQueryRunParams["parameters"], maxBytes: number): LimitIssue[] {
  const bytes = parameters === undefined ? 0 : Buffer.byteLength(JSON.stringify(parameters));
  if (bytes <= maxBytes) return [];
  return [{ pointer: "/parameters", expected: `at most ${maxBytes} bytes of JSON`, received: `${bytes} bytes` }];
}

/** Caps for a user whose budget is exhausted: existing runs and results may be shared, but no run is created. */
const noNewRuns = { maxUnfinishedRuns: 0, maxRunningRuns: undefined, maxStoredBytes: undefined };

interface SubmissionParts {
  readonly source: Source;
  readonly caps: Pick<TenantLimits, "maxUnfinishedRuns" | "maxRunningRuns" | "maxStoredBytes">;
  readonly uploads: readonly RunUpload[] | undefined;
}

async function submissionOf(
  params: CreateQueryRunParams,
  { principal, headers }: Context,
  { sources, limits, disk }: Pick<Service, "disk" | "limits" | "sources">,
  { source, caps, uploads }: SubmissionParts,
): Promise<Submission> {
  const { sql, tags = {}, parameters = null } = params;
  const { tenantId, userId } = principal;
  const { maxUnfinishedRuns, maxRunningRuns, maxStoredBytes } = caps;
  const resultTTLHours = clampResultTTLHours(params.resultTTLHours ?? defaults.resultTTLHours);
  const statementId = newId("st");
  const reuseKey = reuseKeyText({
    tenantId,
    dataProvider: source.provider,
    dataSource: source.name,
    dataSourceRevision: await sources.kindOf(source).revision(source),
    sql,
    parameters,
    userId: source.runAs === "user" ? userId : undefined,
    uploads,
  });
  return {
    run: {
      id: newId("run"),
      tenantId,
      userId,
      sqlStatementId: statementId,
      dataSourceId: source.name,
      reuseKey: hash("sha256", reuseKey),
      parameters,
      tags,
      ...(uploads && { uploads }),
      statementTimeoutSeconds: limits.statementTimeoutSeconds,
      resultTTLHours,
      traceparent: traceparentOf(headers),
    },
    request: {
      id: newId("req"),
      maxAgeMinutes: clampMaxAgeMinutes(params.maxAgeMinutes ?? defaults.maxAgeMinutes),
      resultTTLHours,
    },
    statement: { id: statementId, sql, statementHash: hash("sha256", sql) },
    caps: {
      maxUnfinishedRuns,
      maxRunningRuns,
      maxQueuedRuns: limits.maxQueuedRuns,
      maxStoredBytes,
      isDiskFull: !(await disk.hasSpace()),
    },
    idempotency: idempotencyOf(params, principal),
  };
}

function idempotencyOf(params: CreateQueryRunParams, { apiKeyId }: Principal): Idempotency | null {
  const key = params.idempotencyKey;
  return key === undefined ? null : { apiKeyId, key, bodyHash: hash("sha256", idempotencyText(params)) };
}

type Accepted = Extract<SubmissionOutcome, { outcome: "accepted" }>;

/** @throws {MethodError} BudgetExceeded, MaxConcurrentQueries, StorageFull, StorageQuotaExceeded, InvalidParams */
function accepted(submitted: SubmissionOutcome, spent: SpentBudget | undefined): Accepted {
  switch (submitted.outcome) {
    case "accepted":
      return submitted;
    case "tooManyRuns":
      if (spent !== undefined) throw declaredError("BudgetExceeded", spent);
      throw declaredError("MaxConcurrentQueries", {
        currentlyRunning: submitted.count,
        maxConcurrentRuns: submitted.cap,
      });
    case "storageFull":
      throw storageFull();
    case "storageQuotaExceeded": {
      const { storedBytes, maxStoredBytes } = submitted;
      throw declaredError("StorageQuotaExceeded", { storedBytes, maxStoredBytes });
    }
    case "idempotencyMismatch": {
      const expected = "a new key, or the params of the earlier call with this key";
      throw invalidParams([{ pointer: "/idempotencyKey", expected, received: "other params" }], "IdempotencyMismatch");
    }
  }
}

/** Returns the `traceparent` header (W3C Trace Context); undefined if it is missing or malformed. */
function traceparentOf(headers: Context["headers"]): string | undefined {
  const header = headers.get("traceparent")?.trim() ?? "";
  return /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(header) ? header : undefined;
}

function newId(kind: string): string {
  return `${kind}_${randomBytes(12).toString("hex")}`;
}
