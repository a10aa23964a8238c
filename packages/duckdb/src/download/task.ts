import type { DownloadFormat } from "@quern/query-run/download-format";
import type { ResultColumn } from "@quern/query-run/record";
import type { ResultView } from "@quern/query-run/view";
import type { ReadingLimits } from "../results/engine.ts";
import type { ResultFile } from "../results/result-files.ts";

/** Task of a process that writes downloads. It answers when all bytes are written. */
export interface DownloadTask extends ReadingLimits {
  /** Files of the stored result, in the order of their rows. */
  readonly paths: readonly string[];
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** Size of all files, in bytes. */
  readonly totalBytes: number;
  readonly format: DownloadFormat;
  /** Filters and order of the rows to write. @default all rows in their order */
  readonly view?: ResultView | undefined;
  /** Path of the pipe to write to. */
  readonly target: string;
}

/** Download task with the number of the first row of each file. */
export interface LocatedDownload extends DownloadTask {
  readonly files: readonly ResultFile[];
}
