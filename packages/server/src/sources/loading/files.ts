import { globSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SourceError } from "./origin.ts";

type FileFormat = "parquet" | "csv" | "json";

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
 * The files at a path, as globs of the engine: one file, all files of a folder and below, or those of a glob.
 * @throws {SourceError} when there are none, or of several formats
 */
export async function globsOf(path: string): Promise<{ format: FileFormat; globs: readonly string[] }> {
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isFile()) return { format: formatOf([path], path), globs: [literal(path)] };
  const isFolder = entry?.isDirectory() === true;
  const files = isFolder ? await filesBelow(path) : globSync(path);
  const format = formatOf(files, path);
  if (!isFolder) return { format, globs: [path] };
  // As they are written: globs tell upper case from lower case.
  const found = new Set(files.flatMap((file) => writtenEnding(file) ?? []));
  return { format, globs: [...found].sort().map((ending) => join(literal(path), "**", `*${ending}`)) };
}

/** How the engine reads the files: all of them, by name of the columns, and every row to tell the types. */
export function filesQuery(format: FileFormat, globs: readonly string[], quote: (text: string) => string): string {
  const list = `[${globs.map(quote).join(", ")}]`;
  switch (format) {
    case "parquet":
      return `SELECT * FROM read_parquet(${list}, union_by_name = true)`;
    case "csv":
      return `SELECT * FROM read_csv(${list}, union_by_name = true, sample_size = -1)`;
    case "json":
      return `SELECT * FROM read_json(${list}, union_by_name = true, sample_size = -1)`;
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function formatOf(files: readonly string[], path: string): FileFormat {
  const formats = [...new Set(files.flatMap((file) => endings[endingOf(file) ?? ""] ?? []))];
  const [format] = formats;
  if (format === undefined) throw new SourceError(`there is no Parquet, CSV or JSON file at ${path}`);
  if (formats.length === 1) return format;
  throw new SourceError(`${path} has files of several formats (${formats.join(", ")}); name those of one by a glob`);
}

function endingOf(file: string): string | undefined {
  const ending = /(?:\.[a-z]+)?\.[a-z]+$/i.exec(file)?.[0].toLowerCase() ?? "";
  return [ending, ending.replace(/^\.[a-z]+(?=\.)/, "")].find((each) => Object.hasOwn(endings, each));
}

function writtenEnding(file: string): string | undefined {
  const ending = endingOf(file);
  return ending === undefined ? undefined : file.slice(-ending.length);
}

/** A path whose signs mean themselves. */
function literal(path: string): string {
  return path.replace(/[[*?]/g, "[$&]");
}
