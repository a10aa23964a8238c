import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { RunRecord } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { isDiskFull } from "../common/disk-full.ts";
import type { Log } from "../common/log.ts";
import { addressOf, requestIdOf } from "../common/request-context.ts";
import type { KnownCaller } from "../identity/principal.ts";
import { type AuditEvent, type AuditLog, createRefusalThrottle } from "./audit-log.ts";
import type { Metrics } from "./metrics.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Caller of an action, with the headers of the request. */
interface Actor {
  /** Undefined if the caller is unknown. */
  readonly principal: KnownCaller | undefined;
  readonly headers: RequestHeaders;
}

type Details = Omit<Partial<AuditEvent>, "action" | "tenantId" | "userId" | "keyId" | "address">;

/**
 * Records events of the service. Each event goes to the log, the audit log, the usage records and the metrics that need
 * it.
 */
export interface Telemetry {
  readonly usage: UsageMeter;
  readonly metrics: Metrics;
  /** Records a call of `createQueryRun`. */
  requested(actor: Actor, run: RunRecord, statementHash: string, outcome: "ran" | "reused"): void;
  /** Records the bytes of a page or a download of a result. */
  read(actor: Actor & { readonly principal: KnownCaller }, runId: string, bytes: number, format: string): void;
  audited(actor: Actor, action: AuditEvent["action"], details: Details): void;
  /** Records a refused credential or link, or a call above a rate. Not each of many refusals in a minute is logged. */
  refused(actor: Actor, details: Details): void;
  /** Records that `listTables` leaves out the tables of a data source. */
  leftOut(actor: Pick<Actor, "headers">, source: string, error: unknown): void;
  /** Records that a run was claimed from the queue. */
  claimed(run: RunRecord): void;
  /** Records that a run lost its server, or the process or engine of its statement (`process`). */
  lost(run: RunRecord, lost: "process" | "server"): void;
  /** Records the end of a run. */
  ended(run: RunRecord): void;
}

export function createTelemetry(
  parts: { readonly usage: UsageMeter; readonly metrics: Metrics; readonly audit: AuditLog },
  clock: Clock,
  log: Log,
): Telemetry {
  const { usage, metrics, audit } = parts;
  const throttle = createRefusalThrottle(clock);

  function audited({ principal, headers }: Actor, action: AuditEvent["action"], details: Details): void {
    const { tenantId = null, userId = null, apiKeyId: keyId = null } = principal ?? {};
    const request = { address: addressOf(headers), requestId: requestIdOf(headers) };
    try {
      audit.record({ action, tenantId, userId, keyId, ...request, ...details }, clock.now());
    } catch (error) {
      // Calls that change nothing are answered on a full disk, too.
      if (!isDiskFull(error)) throw error;
      log.error(`${action} could not be written to the audit log`, error, { tenantId, userId, keyId, ...request });
    }
  }

  return {
    usage,
    metrics,
    audited,
    leftOut({ headers }, source, error) {
      log.error(`listTables omits the tables of ${source}: the source cannot be read`, error, {
        requestId: requestIdOf(headers),
      });
    },
    refused(actor, details) {
      const suppression = throttle();
      if (suppression !== undefined) audited(actor, "access.refused", { ...details, ...suppression });
    },
    requested(actor, run, statementHash, outcome) {
      metrics.requested(outcome);
      audited(actor, "run.create", { runId: run.id, statementHash, source: run.dataSourceId, outcome });
    },
    read(actor, runId, bytes, format) {
      metrics.pageRead(bytes);
      usage.read(actor.principal, bytes);
      audited(actor, "result.read", { runId, format, bytes });
    },
    claimed(run) {
      metrics.runClaimed(run);
      usage.claimed(run);
      log.debug?.("run claimed", { runId: run.id, attempt: run.attempt, source: run.dataSourceId });
    },
    lost(run, lost) {
      metrics.workerLost(lost);
      const { id: runId, state, tenantId, dataSourceId: source, attempt } = run;
      // A lost server means that this one has reclaimed the run.
      log.info?.(lost === "server" ? "run reclaimed" : "run lost", { runId, state, tenantId, source, attempt });
    },
    ended(run) {
      metrics.runEnded(run);
      usage.ran(run);
      const { id, state, tenantId, userId, dataSourceId, attempt, startedAt, endedAt, traceparent, result } = run;
      const durationMs = startedAt === null || endedAt === null ? null : endedAt - startedAt;
      // Log the name of a failure only: its message may quote a row.
      const outcome = { rowCount: result?.rowCount, errorName: run.failure?.name };
      const ids = { runId: id, state, tenantId, userId, source: dataSourceId, attempt };
      log.info?.("run ended", { ...ids, durationMs, ...outcome, traceparent: traceparent ?? undefined });
    },
  };
}
