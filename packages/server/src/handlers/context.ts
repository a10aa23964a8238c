import type { KeyStore, ResultStore, Store } from "@quern/adapter";
import type { Downloads, ResultReader } from "@quern/duckdb";
import type { CallContext } from "@quern/json-rpc/handler";
import type { Clock } from "../common/clock.ts";
import type { LimitsInForce } from "../common/limits.ts";
import type { DiskGuard } from "../disk/disk-space.ts";
import type { LinkSigner } from "../downloads/link.ts";
import type { ServerLimits } from "../generated/limits.ts";
import type { Principal } from "../identity/principal.ts";
import type { TenantRates } from "../identity/rate-limit.ts";
import type { LimitsOf } from "../identity/tenant-limits.ts";
import type { RunChanges } from "../runs/run-changes.ts";
import type { RunProgress } from "../runs/run-progress.ts";
import type { StatementTexts } from "../runs/statement-texts.ts";
import type { Reaper } from "../scheduler/expired-results.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { SourceCatalog } from "../sources/catalog.ts";
import type { Systems } from "../telemetry/readiness.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { LinkedUpload } from "../uploads/upload-route.ts";
import type { Uploads } from "../uploads/uploads.ts";
import type { Inspections } from "./inspection-permits.ts";

/** Context of a call: the authenticated caller, the HTTP headers and an abort signal. */
export type Context = CallContext<Principal>;

/** Parts of the service that its handlers and the server use. */
export interface Service {
  readonly store: Store;
  /** Keys of the store, cached if it is shared. */
  readonly keys: KeyStore;
  readonly disk: DiskGuard;
  /** API key that was generated because there was no active one; undefined otherwise. */
  readonly firstKey: string | undefined;
  readonly statementTexts: StatementTexts;
  readonly changes: RunChanges;
  readonly progress: RunProgress;
  readonly scheduler: Scheduler;
  /**
   * Semaphore of calls that inspect a source (columns, tables, completions). A server admits `maxRunningRuns` calls at
   * a time; all servers of a store together admit as many calls of a tenant.
   */
  readonly inspections: Inspections;
  readonly reaper: Reaper;
  readonly results: ResultStore;
  /** Store and result store, as a load balancer and the metrics see them. */
  readonly systems: Systems;
  readonly reader: ResultReader;
  readonly downloads: Downloads;
  readonly links: LinkSigner;
  readonly uploads: Uploads;
  readonly uploadLinks: LinkSigner<LinkedUpload>;
  /** Base URL of links; undefined takes it from the host of the request. */
  readonly publicUrl: string | undefined;
  /** Lets each link be used for one download. */
  readonly singleUseLinks: boolean;
  readonly sources: SourceCatalog;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly limits: LimitsInForce;
  /** Limits that the operator has set. */
  readonly configuredLimits: ServerLimits;
  readonly limitsOf: LimitsOf;
  readonly limitRate: TenantRates;
  /** Adds a column `__row_index` to rows of the csv format. */
  readonly csvRowIndex: boolean;
  close(): Promise<void>;
}
