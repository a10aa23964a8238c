import type { CallContext } from "@quern/json-rpc/handler";
import type { RunLimits } from "@quern/query-run/limits";
import type { Clock } from "../clock.ts";
import type { Executor } from "../executor/executor.ts";
import type { Principal } from "../identity/principal.ts";
import type { ResultReader } from "../results/reader/reader.ts";
import type { ResultStore } from "../results/result-store.ts";
import type { RunChanges } from "../runs/run-changes.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { SourceCatalog } from "../sources/catalog.ts";
import type { RunStore } from "../store/run-store.ts";

/** What a method's handler knows beside its params. */
export type Context = CallContext<Principal>;

/** The rooms of the service that the handlers go into. */
export interface Service {
  readonly store: RunStore;
  readonly changes: RunChanges;
  readonly scheduler: Scheduler;
  readonly executor: Executor;
  readonly results: ResultStore;
  readonly reader: ResultReader;
  readonly sources: SourceCatalog;
  readonly clock: Clock;
  readonly limits: ServiceLimits;
  /** Whether csv rows end with `__row_index`. */
  readonly csvRowIndex: boolean;
}

export interface ServiceLimits extends RunLimits {
  readonly statementTimeoutSeconds: number;
  readonly maxPageBytes: number;
  /** How long `describeQuery` may take. */
  readonly describeTimeoutSeconds: number;
}
