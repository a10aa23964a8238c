import type { ResultStore, Store } from "@quern/adapter";
import type { Downloads, FairSemaphore, ResultReader } from "@quern/duckdb";
import type { Clock } from "../common/clock.ts";
import type { LimitsInForce } from "../common/limits.ts";
import type { LinkSigner } from "../downloads/link.ts";
import type { LimitsOf } from "../identity/tenant-limits.ts";
import type { TenantRates } from "../identity/tenant-rates.ts";
import type { Operation } from "../operation/operation.ts";
import type { RunChanges } from "../runs/run-changes.ts";
import type { Reaper } from "../scheduler/reaper.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { SourceCatalog } from "../sources/catalog.ts";

/** Parts of the service that the methods work with. */
export interface Service {
  readonly store: Store;
  /** The key that was made because there was none. */
  readonly firstKey: string | undefined;
  readonly changes: RunChanges;
  readonly scheduler: Scheduler;
  /** Places for calls that ask an engine for columns, tables or completions: as many again as for runs. */
  readonly inspecting: FairSemaphore;
  readonly reaper: Reaper;
  readonly results: ResultStore;
  readonly reader: ResultReader;
  readonly downloads: Downloads;
  readonly links: LinkSigner;
  /** Where callers reach the service; undefined where their requests say so. */
  readonly publicUrl: string | undefined;
  readonly sources: SourceCatalog;
  readonly operation: Operation;
  readonly clock: Clock;
  readonly limits: LimitsInForce;
  readonly limitsOf: LimitsOf;
  readonly limitRate: TenantRates;
  /** Whether csv rows end with `__row_index`. */
  readonly csvRowIndex: boolean;
  close(): Promise<void>;
}
