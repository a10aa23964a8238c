import type { RunRecord } from "@quern/query-run/record";
import type { Clock } from "../clock.ts";
import type { Context } from "../handlers/context.ts";
import type { Log } from "../log.ts";
import { addressOf } from "./address.ts";
import type { AuditEvent, AuditLog } from "./audit-log.ts";
import type { Metrics } from "./metrics.ts";
import type { UsageMeter } from "./usage-meter.ts";

type Details = Omit<Partial<AuditEvent>, "action" | "tenantId" | "userId" | "keyId" | "address">;

/** What the operator learns of what happens: each happening goes to the log, the audit log, the usage and the metrics it belongs to. */
export interface Operation {
  readonly usage: UsageMeter;
  readonly metrics: Metrics;
  requested(context: Context, run: RunRecord, statementHash: string, outcome: "ran" | "reused"): void;
  /** Bytes of a result, as a page or a download. */
  read(context: Context, runId: string, bytes: number): void;
  audited(context: Context, action: AuditEvent["action"], details: Details): void;
  ended(run: RunRecord): void;
}

export function createOperation(
  parts: { readonly usage: UsageMeter; readonly metrics: Metrics; readonly audit: AuditLog },
  clock: Clock,
  log: Log,
): Operation {
  const { usage, metrics, audit } = parts;

  function audited({ principal, headers }: Context, action: AuditEvent["action"], details: Details): void {
    const { tenantId, userId, apiKeyId } = principal;
    audit.record({ action, tenantId, userId, keyId: apiKeyId, address: addressOf(headers), ...details }, clock.now());
  }

  return {
    usage,
    metrics,
    audited,
    requested(context, run, statementHash, outcome) {
      metrics.requested(outcome);
      audited(context, "run.create", { runId: run.id, statementHash, source: run.dataSourceId, outcome });
    },
    read(context, runId, bytes) {
      metrics.pageRead(bytes);
      usage.read(context.principal, bytes);
      audited(context, "result.read", { runId, bytes });
    },
    ended(run) {
      metrics.runEnded(run);
      usage.ran(run);
      const { id, state, tenantId, userId, dataSourceId, attempt, startedAt, endedAt, traceparent, result } = run;
      const durationMs = startedAt === null || endedAt === null ? null : endedAt - startedAt;
      const outcome = { rowCount: result?.rowCount, errorName: run.failure?.name };
      // The message of a failure may quote a row, so that its name must do.
      const of = { runId: id, state, tenantId, userId, source: dataSourceId, attempt };
      log.info?.("run ended", { ...of, durationMs, ...outcome, traceparent: traceparent ?? undefined });
    },
  };
}
