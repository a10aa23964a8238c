import type { ResultColumn } from "@quern/query-run/record";
import type { ResultView } from "@quern/query-run/view";
import type { ReadingLimits } from "../results/engine.ts";
import type { ResultFile } from "../results/result-files.ts";

/** Formats of downloads. */
export const downloadFormats = ["csv", "ndjson", "parquet", "arrow"] as const;

export type DownloadFormat = (typeof downloadFormats)[number];

/** Returns true if a text names a format. */
export function isDownloadFormat(text: string): text is DownloadFormat {
  return downloadFormats.some((format) => format === text);
}

/** Media types. */
export const contentTypes: Readonly<Record<DownloadFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
};

/** Extensions of file names. */
export const fileEndings: Readonly<Record<DownloadFormat, string>> = {
  csv: "csv",
  ndjson: "ndjson",
  parquet: "parquet",
  arrow: "arrows",
};

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
