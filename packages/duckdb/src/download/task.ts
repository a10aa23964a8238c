import type { ResultColumn } from "@quern/query-run/record";
import type { ReadingLimits } from "../results/engine.ts";
import type { ResultFile } from "../results/result-files.ts";

/** The forms in which a whole result can be had. */
export const downloadFormats = ["csv", "ndjson", "parquet", "arrow"] as const;

export type DownloadFormat = (typeof downloadFormats)[number];

export function isDownloadFormat(text: string): text is DownloadFormat {
  return downloadFormats.some((format) => format === text);
}

export const contentTypes: Readonly<Record<DownloadFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
};

/** How files of the format are called. */
export const fileEndings: Readonly<Record<DownloadFormat, string>> = {
  csv: "csv",
  ndjson: "ndjson",
  parquet: "parquet",
  arrow: "arrows",
};

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
