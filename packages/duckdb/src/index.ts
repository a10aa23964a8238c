export { createDownloads, type Download, type Downloads, type DownloadsOptions } from "./download/downloads.ts";
export {
  contentTypes,
  type DownloadFormat,
  downloadFormats,
  fileEndings,
  isDownloadFormat,
} from "./download/task.ts";
export type { DuckDBExecutorOptions, StatementProcessLimits } from "./executor/executor.ts";
export type { Isolation } from "./executor/task.ts";
export { createFairSemaphore, type FairSemaphore } from "./processes/fair-semaphore.ts";
export type { Priority } from "./processes/launch.ts";
export { requireLayers, type SandboxLayer, sandboxing } from "./processes/sandbox-layers.ts";
export { createResultReader, type ReaderOptions, type ResultReader } from "./reader/reader.ts";
export type { Condition, PageAnswer, PageTask, Scalar, SortKey } from "./reader/task.ts";
export { parquetRowCount } from "./results/parquet-row-count.ts";
export { resultTooLarge } from "./results/result-cap.ts";
export { rowIndexColumn } from "./results/result-files.ts";
export { createDuckDBSourceKind, type DuckDBSourceKindOptions } from "./source-kind.ts";
export { dataDirectorySources } from "./sources/data-directory-sources.ts";
export type { Database, HeldDatabases } from "./sources/held-data.ts";
export { createResultWriter, type ResultWriterOptions } from "./writer/writer.ts";
