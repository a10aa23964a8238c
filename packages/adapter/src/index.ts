export { type CompactReader, compactType, createCompactReader } from "./compact-reader.ts";
export { type Deadline, startDeadline } from "./deadline.ts";
export {
  EngineLostError,
  isEngineLostError,
  isResultExistsError,
  isStatementError,
  isUnavailableError,
  ResultExistsError,
  StatementError,
  type StatementFailure,
  UnavailableError,
} from "./error.ts";
export { createFairSemaphore, type FairSemaphore } from "./fair-semaphore.ts";
export type {
  CellsResult,
  EncodedResult,
  EngineColumn,
  EngineResult,
  ParquetFile,
  ParquetResult,
  ResultWriter,
  ReturnedResult,
  RowsResult,
  WrittenResult,
} from "./result.ts";
export type { OpenedResult, ResultStore, RowRange, StorageLink } from "./result-store.ts";
export { inSlices } from "./slices.ts";
export type { HeldData, RunAs, SecretPlace, Source, SourceConfiguration } from "./source.ts";
export type { SourceAdapter, SourceKindContext } from "./source-adapter.ts";
export type { FetchObjects, OpenedFile, SourceFile, SourceFiles, SourceIndex } from "./source-files.ts";
export {
  type Completion,
  type CompletionKind,
  type Description,
  type Execution,
  type ParameterDescription,
  type SourceKind,
  type SourceTable,
  type TableColumn,
  unknownRevision,
} from "./source-kind.ts";
export type { Query, ResultCaps, Statement, StatementLimits, UploadedTable } from "./statement.ts";
export type { KeyRecord, KeyStore, NewKeyRecord, Scope } from "./store/key-store.ts";
export type { LinkStore } from "./store/link-store.ts";
export type { NamedLeaseStore } from "./store/named-lease-store.ts";
export type { Rate, RateStore } from "./store/rate-store.ts";
export type {
  CallerRequest,
  IdempotencyRecord,
  QueuedRun,
  RecordKind,
  RecordTable,
  RecordTables,
  SettingRecord,
  TenantStatement,
  UsedLinkRecord,
} from "./store/record-tables.ts";
export type {
  AnsweredRequest,
  ClaimedRun,
  ErasedRecords,
  Idempotency,
  Lease,
  ReclaimedRun,
  RequestOfRun,
  RunPage,
  RunPosition,
  RunQuery,
  RunStore,
  SourceFilter,
  Submission,
  SubmissionOutcome,
  UnfinishedRuns,
  UserOfTenant,
  Withdrawal,
  WithdrawnKey,
} from "./store/run-store.ts";
export type { RunCounts, RunNotice, SettingStore, Store } from "./store/store.ts";
export type {
  StoredBytes,
  TenantRecord,
  TenantSettings,
  TenantStore,
  Usage,
  UsageRecord,
  UsageStore,
  UserMonth,
} from "./store/tenant-store.ts";
export type { NewUpload, UploadedFile, UploadRecord, UploadStore } from "./store/upload-store.ts";
export { isSystemDiskFull } from "./system-disk-full.ts";
export { untilAborted } from "./until-aborted.ts";
export type { UploadFiles } from "./upload-files.ts";
