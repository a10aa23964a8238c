export { createDownloads, type Download, type Downloads, type DownloadsOptions } from "./download/downloads.ts";
export {
  contentTypes,
  type DownloadFormat,
  downloadFormats,
  fileEndings,
  isDownloadFormat,
} from "./download/format.ts";
export type { DuckDBExecutorOptions, StatementProcessLimits } from "./executor/executor.ts";
export { requireLayers, type SandboxLayer, sandboxing } from "./processes/sandbox-layers.ts";
export { createTurns, type Turns } from "./processes/turns.ts";
export { createResultReader, type ReaderOptions, type ResultReader } from "./reader/reader.ts";
export type { Condition, PageAnswer, PageTask, Scalar, SortKey } from "./reader/task.ts";
export { resultTooLarge } from "./results/result-cap.ts";
export { rowIndexColumn } from "./results/row-index.ts";
export { storedRows } from "./results/stored-rows.ts";
export { createDuckDBSourceKind, type DuckDBSourceKindOptions } from "./source-kind.ts";
export type { Database, HeldDatabases } from "./sources/data.ts";
export { dataDirectorySources } from "./sources/data-directory-sources.ts";
export { createResultWriter, type ResultWriterOptions } from "./writer/writer.ts";
