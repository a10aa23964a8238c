import { globSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { type ColumnTypes, SourceError } from "../sources/origin.ts";
import { columnTypes } from "./column-types.ts";

type FileFormat = "parquet" | "csv" | "json";

/** Files of one format, as globs of the engine. */
interface Files {
  readonly format: FileFormat;
  readonly globs: readonly string[];
}

const endings: Readonly<Record<string, FileFormat>> = {
  ".parquet": "parquet",
  ".csv": "csv",
  ".tsv": "csv",
  ".csv.gz": "csv",
  ".tsv.gz": "csv",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
  ".json.gz": "json",
  ".jsonl.gz": "json",
  ".ndjson.gz": "json",
};

/**
 * Returns the files of a path: a file, all Parquet, CSV or JSON files below a directory, or the matches of a glob.
 * @param shown origin of the files, for messages. @default `path`
 * @throws {SourceError} if there are no files, or files of several formats
 */
export async function globsOf(path: string, shown = path): Promise<Files> {
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isFile()) return { format: formatOf([path], path), globs: [literal(path)] };
  const isFolder = entry?.isDirectory() === true;
  const files = isFolder ? await filesBelow(path) : globSync(path);
  const format = formatOf(files, shown);
  if (!isFolder) return { format, globs: [path] };
  // One glob for each spelling of an ending, such as `.csv` and `.CSV`, because globs of the engine are case-sensitive.
  const found = new Set(files.flatMap((file) => writtenEnding(file) ?? []));
  return { format, globs: [...found].sort().map((ending) => join(literal(path), "**", `*${ending}`)) };
}

/**
 * Returns the query that reads all files. Columns of several files are combined by name. For CSV and JSON, every row is
 * read to detect the types.
 * @throws {SourceError} if types are given for Parquet files, or a given column or type does not exist
 */
export async function filesQuery(
  connection: DuckDBConnection,
  { format, globs }: Files,
  types: ColumnTypes,
): Promise<string> {
  const list = `[${globs.map(quotedText).join(", ")}]`;
  const read = (options: readonly string[]): string =>
    `SELECT * FROM read_${format}(${[list, "union_by_name = true", ...options].join(", ")})`;
  const isTyped = types.allText === true || types.types !== undefined;
  if (format === "parquet") {
    if (isTyped)
      throw new SourceError(`Invalid flags ${typeFlags}: Parquet files have types of their own; remove the flags`);
    return read([]);
  }
  const every = "sample_size = -1";
  if (!isTyped) return read([every]);
  const known = await columnTypes(connection, read([every]), types);
  const columns = [...known].map(([name, type]) => `${quotedText(name)}: ${quotedText(type)}`);
  return read([`${format === "csv" ? "types" : "columns"} = {${columns.join(", ")}}`]);
}

/** Flags of `quern sources add` that set types, for messages. */
export const typeFlags = "--type and --all-text";

/** Returns the name of a file without an ending such as `.csv.gz`. */
export function withoutEnding(file: string): string {
  return file.slice(0, file.length - (endingOf(file)?.length ?? 0));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function formatOf(files: readonly string[], path: string): FileFormat {
  const formats = [...new Set(files.flatMap((file) => endings[endingOf(file) ?? ""] ?? []))];
  const [format] = formats;
  if (format === undefined) throw noFiles("file", path);
  if (formats.length === 1) return format;
  throw new SourceError(
    `Files of several formats (${formats.join(", ")}): ${path}; name one file, or a folder that has no others, or local files of one format with a glob`,
  );
}

/** Returns the error of an origin without a file that can be loaded. */
export function noFiles(what: "file" | "object", path: string): SourceError {
  const ways = what === "file" ? "by path, directory or glob" : "by its address or its folder";
  return new SourceError(
    `No Parquet, CSV or JSON ${what} found: ${path}; name ${what}s that end in .parquet, .csv, .json or the like, ${ways}`,
  );
}

/** Returns true for the name of a Parquet, CSV or JSON file. */
export function isDataFile(name: string): boolean {
  return endingOf(name) !== undefined;
}

function endingOf(file: string): string | undefined {
  const ending = /(?:\.[a-z]+)?\.[a-z]+$/i.exec(file)?.[0].toLowerCase() ?? "";
  return [ending, ending.replace(/^\.[a-z]+(?=\.)/, "")].find((each) => Object.hasOwn(endings, each));
}

function writtenEnding(file: string): string | undefined {
  const ending = endingOf(file);
  return ending === undefined ? undefined : file.slice(-ending.length);
}

/** Escapes the wildcards of a path. */
function literal(path: string): string {
  return path.replace(/[[*?]/g, "[$&]");
}
