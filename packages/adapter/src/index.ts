export { EngineLostError, StatementError, type StatementFailure } from "./error.ts";
export type { Description, Executor, ParameterDescription, Statement, WrittenResult } from "./executor.ts";
export type { ResultStore } from "./result-store.ts";
export type { Database, HeldData, RunAs, Source, SourceConfiguration } from "./source.ts";
export type { KeyRecord, KeyStore, Scope } from "./store/key-store.ts";
export type { RunCounts } from "./store/run-counts.ts";
export type {
  AnsweredRequest,
  ClaimedRun,
  Idempotency,
  Lease,
  RequestOfRun,
  RunQuery,
  RunStore,
  Submission,
  SubmissionOutcome,
  WithdrawnKey,
} from "./store/run-store.ts";
export type { TenantRecord, TenantSettings, TenantStore } from "./store/tenant-store.ts";
export type { Usage, UsageRecord, UsageStore, UserMonth } from "./store/usage-store.ts";
