import type { ResultColumn } from "@quern/query-run/record";
import type { ReadingLimits } from "../results/engine.ts";
import type { ResultFile } from "../results/result-files.ts";
import type { DownloadFormat } from "./format.ts";

/** What the child process of a download is asked; it answers when all is written. */
export interface DownloadTask extends ReadingLimits {
  /** Files of the stored result, in the order of their rows. */
  readonly paths: readonly string[];
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  readonly totalBytes: number;
  readonly format: DownloadFormat;
  /** The pipe that takes the bytes. */
  readonly target: string;
}

/** Download of a result whose files are known. */
export interface LocatedDownload extends DownloadTask {
  readonly files: readonly ResultFile[];
}
