import { globSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, matchesGlob, relative, sep } from "node:path";
import { SourceError } from "../sources/origin.ts";

type FileFormat = "parquet" | "csv" | "json" | "arrow";

/** File of an origin. */
export interface OriginFile {
  readonly path: string;
  /** Name of the file for messages. */
  readonly shown: string;
}

/** Files of one format. */
export interface Files {
  readonly format: FileFormat;
  readonly files: readonly OriginFile[];
  /** Data files that are not read, because a name below the folder begins with `.` or `_`. */
  readonly skipped: number;
}

/** Query that reads files, and what is known of its rows. */
export interface FilesQuery {
  readonly query: string;
  readonly padded: number;
  readonly ignored: number;
  /** Columns whose times are truncated to microseconds. @default none */
  readonly cut?: readonly string[];
  /** Values that are converted to the type of their column, or fail with `inexactMarker`. */
  readonly inexact: readonly InexactValues[];
  /**
   * Reads the files without the engine, while it runs the query, and returns the number of their rows; undefined if the
   * query is not the right one for them. It throws for files that cannot be loaded. @default only the engine counts the rows
   */
  readonly check?: () => Promise<number | undefined>;
  /** Releases what the query reads. @default nothing */
  readonly close?: () => Promise<void>;
  /** Returns the query for files that do not pass the check, or on which this one fails. @default none */
  readonly next?: () => Promise<FilesQuery>;
}

/** Values of a column of a file that may not be exactly those of a type. */
export interface InexactValues {
  readonly name: string;
  readonly type: string;
  readonly shown: string;
  /** SQL of the text of a value. */
  readonly text: string;
  /** SQL that is true for a value that the type cannot hold. */
  readonly invalid: string;
  /** SQL of the table that has the texts. */
  readonly from: string;
}

/** Text of errors of the engine for a value that its type cannot hold. */
export const inexactMarker = "quern: inexact value";

/** Endings of names, which `.gz` or `.zst` can follow. */
const endings: Readonly<Record<string, FileFormat>> = {
  ".parquet": "parquet",
  ".csv": "csv",
  ".tsv": "csv",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
  ".arrow": "arrow",
  ".arrows": "arrow",
  ".feather": "arrow",
  ".ipc": "arrow",
};

/**
 * Returns the files of a path: a file, all Parquet, Arrow, CSV or JSON files below a directory, or the matches of a glob.
 * Files and directories below it whose names begin with `.` or `_` are skipped: other tools write unfinished files there.
 * @param shown origin of the files, for messages. @default `path`
 * @throws {SourceError} if there are no files, or files of several formats
 */
export async function filesOf(path: string, shown = path): Promise<Files> {
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isFile()) return { format: formatOf([path], path), files: [{ path, shown }], skipped: 0 };
  const isFolder = entry?.isDirectory() === true;
  const found = (isFolder ? await filesBelow(path) : filesOfGlob(path)).filter(({ file }) => isDataFile(file));
  const read = found.filter(({ isHidden }) => !isHidden).map(({ file }) => file);
  if (read.length === 0 && found.length > 0)
    throw new SourceError(
      `No file to load: ${shown}: the names of all ${found.length} begin with . or _, and are skipped; name the files by path, or with a glob such as '_*.csv'`,
    );
  const named = (file: string): string => (path === shown ? file : `${shown} ${relative(path, file)}`);
  const files = read.sort().map((file) => ({ path: file, shown: named(file) }));
  return { format: formatOf(read, shown), files, skipped: found.length - read.length };
}

/** Flags of `quern sources add` that set types, for messages. */
export const typeFlags = "--type and --all-text";

/** Returns the name of a file without an ending such as `.csv.gz`. */
export function withoutEnding(file: string): string {
  return file.slice(0, file.length - (kindOf(file)?.ending.length ?? 0));
}

interface FoundFile {
  readonly file: string;
  readonly isHidden: boolean;
}

async function filesBelow(folder: string): Promise<FoundFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: FoundFile[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const isFile = entry.isFile() || (entry.isSymbolicLink() && (await stat(file).catch(() => undefined))?.isFile());
    if (isFile) found.push({ file, isHidden: relative(folder, file).split(sep).some(isHidden) });
  }
  return found;
}

function filesOfGlob(pattern: string): FoundFile[] {
  const segments = pattern.split(/[/\\]/);
  const asked = segments.filter(isHidden);
  const isAsked = (name: string): boolean =>
    asked.some((segment) => segment[0] === name[0] && matchesGlob(name, segment));
  return globSync(pattern, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return [];
    const file = join(entry.parentPath, entry.name);
    return { file, isHidden: file.split(sep).some((name) => isHidden(name) && !isAsked(name)) };
  });
}

function isHidden(name: string): boolean {
  return /^[._]/.test(name) && name !== "." && name !== "..";
}

function formatOf(files: readonly string[], path: string): FileFormat {
  const formats = [...new Set(files.flatMap((file) => kindOf(file)?.format ?? []))];
  const [format] = formats;
  if (format === undefined) throw noFiles("file", path);
  if (formats.length === 1) return format;
  throw new SourceError(
    `Files of several formats (${formats.join(", ")}): ${path}; name one file, or a folder that has no others, or local files of one format with a glob`,
  );
}

/** Returns the error for an origin without a loadable file. */
export function noFiles(what: "file" | "object", path: string): SourceError {
  if (/\.(orc|avro|xlsx?)$/i.test(path))
    return new SourceError(`Unsupported format: ${path}; write the table as Parquet, Arrow, CSV or JSON`);
  const ways = what === "file" ? "by path, directory or glob" : "by its address or its folder";
  return new SourceError(
    `No Parquet, Arrow, CSV or JSON ${what} found: ${path}; name ${what}s that end in .parquet, .arrow, .csv, .json or the like, ${ways}`,
  );
}

/** Returns true for the name of a Parquet, Arrow, CSV or JSON file. */
export function isDataFile(name: string): boolean {
  return kindOf(name) !== undefined;
}

/** Returns the format of a file for its name, and the ending that states it, such as `.csv.gz`. */
function kindOf(file: string): { readonly ending: string; readonly format: FileFormat } | undefined {
  const [, ending = "", compression = ""] = /(\.[a-z]+)(\.gz|\.zst)?$/i.exec(file) ?? [];
  const name = ending.toLowerCase();
  const format = Object.hasOwn(endings, name) ? endings[name] : undefined;
  // Parquet files are compressed within.
  if (format === undefined || (format === "parquet" && compression !== "")) return undefined;
  return { ending: ending + compression, format };
}

/** Escapes the wildcards of a path. */
export function literal(path: string): string {
  return path.replace(/[[*?]/g, "[$&]");
}
