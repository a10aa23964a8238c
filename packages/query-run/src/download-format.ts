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
