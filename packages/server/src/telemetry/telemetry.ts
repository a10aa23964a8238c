import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { RunRecord } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import type { KnownCaller } from "../identity/principal.ts";
import { addressOf } from "./request-context.ts";
import type { AuditEvent, AuditLog } from "./audit-log.ts";
import type { Metrics } from "./metrics.ts";
import { createRefusals } from "./refusals.ts";
import { requestIdOf } from "./request-id.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Who did something, and the request they did it with. */
interface Doer {
  /** Undefined where nobody knows. */
  readonly principal: KnownCaller | undefined;
  readonly headers: RequestHeaders;
}

type Details = Omit<Partial<AuditEvent>, "action" | "tenantId" | "userId" | "keyId" | "address">;

/** What the operator learns of what happens: each happening goes to the log, the audit log, the usage and the metrics it belongs to. */
export interface Telemetry {
  readonly usage: UsageMeter;
  readonly metrics: Metrics;
  requested(doer: Doer, run: RunRecord, statementHash: string, outcome: "ran" | "reused"): void;
  /** Bytes of a result, as a page or a download. */
  read(doer: Doer & { readonly principal: KnownCaller }, runId: string, bytes: number, format: string): void;
  audited(doer: Doer, action: AuditEvent["action"], details: Details): void;
  /** A credential that was not good, or used so. */
  refused(doer: Doer, details: Details): void;
  ended(run: RunRecord): void;
}

export function createTelemetry(
  parts: { readonly usage: UsageMeter; readonly metrics: Metrics; readonly audit: AuditLog },
  clock: Clock,
  log: Log,
): Telemetry {
  const { usage, metrics, audit } = parts;
  const refusals = createRefusals(clock);

  function audited({ principal, headers }: Doer, action: AuditEvent["action"], details: Details): void {
    const { tenantId = null, userId = null, apiKeyId: keyId = null } = principal ?? {};
    const request = { address: addressOf(headers), requestId: requestIdOf(headers) };
    audit.record({ action, tenantId, userId, keyId, ...request, ...details }, clock.now());
  }

  return {
    usage,
    metrics,
    audited,
    refused(doer, details) {
      const line = refusals();
      if (line !== undefined) audited(doer, "access.refused", { ...details, ...line });
    },
    requested(doer, run, statementHash, outcome) {
      metrics.requested(outcome);
      audited(doer, "run.create", { runId: run.id, statementHash, source: run.dataSourceId, outcome });
    },
    read(doer, runId, bytes, format) {
      metrics.pageRead(bytes);
      usage.read(doer.principal, bytes);
      audited(doer, "result.read", { runId, format, bytes });
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
