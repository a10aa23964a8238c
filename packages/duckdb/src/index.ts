export { createDownloads, type Download, type Downloads, type DownloadsOptions } from "./download/downloads.ts";
export type { DuckDBExecutorOptions } from "./executor/executor.ts";
export type { StatementProcessLimits } from "./executor/process-limits.ts";
export type { Isolation } from "./executor/task.ts";
export { makeDirectory } from "./loading/make-directory.ts";
export { type ChildCount, type ChildKind, childCounts } from "./processes/child-counts.ts";
export { diskFullFailure } from "./processes/disk-full.ts";
export type { Priority } from "./processes/launch.ts";
export { linkFile } from "./processes/link-file.ts";
export { createMemoryBudget, type MemoryBudget } from "./processes/memory-budget.ts";
export { requireLayers, type SandboxLayer, sandboxing } from "./processes/sandbox-layers.ts";
export { openUserIds, parseUserIds, type UserIdRange, type UserIds } from "./processes/user-ids.ts";
export { examineUserIds } from "./processes/user-layer.ts";
export { createResultReader, type ReaderOptions, type ResultReader } from "./reader/reader.ts";
export { rowFrame } from "./reader/row-frame.ts";
export type {
  Condition,
  Page,
  PageAnswer,
  PageTask,
  ProfileTask,
  Scalar,
  SortKey,
  SummaryTask,
} from "./reader/task.ts";
export { cellBytes, cellText, checkedCells } from "./results/checked-cells.ts";
export { parquetRowCount } from "./results/parquet-row-count.ts";
export { resultTooLarge } from "./results/result-cap.ts";
export { rowIndexColumn } from "./results/result-files.ts";
export { createDuckDBSourceKind, type DuckDBSourceKindOptions } from "./source-kind.ts";
export { dataDirectorySources, engineSourcesOf } from "./sources/data-directory-sources.ts";
export type { Database, HeldDatabases } from "./sources/held-data.ts";
export { examineSources, type SourceReport } from "./sources/readable-files.ts";
export { openSharedSources, type SharedSources, type SharedSourcesOptions } from "./sources/shared-sources.ts";
export { createResultWriter, type ResultWriterOptions } from "./writer/writer.ts";
