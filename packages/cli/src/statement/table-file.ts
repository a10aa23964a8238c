import { open } from "node:fs/promises";
import { type Client, uploadFile } from "@quern/client";
import { UsageError } from "../errors/cli-error.ts";

type Format = "csv" | "json" | "parquet";

/** File of the flag `--with`. */
export interface TableFile {
  /** Name of the table. */
  readonly name: string;
  readonly format: Format;
  /** Path, or `-` for stdin. */
  readonly file: string;
}

/** Formats by the extensions of their files. */
const formats: ReadonlyMap<string, Format> = new Map([
  ["csv", "csv"],
  ["tsv", "csv"],
  ["json", "json"],
  ["jsonl", "json"],
  ["ndjson", "json"],
  ["parquet", "parquet"],
]);

/** Parses `name=file` or `name:format=file`. @throws {SyntaxError} */
export function parseTableFile(text: string): TableFile {
  const at = text.indexOf("=");
  const file = text.slice(at + 1);
  const [, named = "", chosen] = /^([\s\S]*?)(?::(csv|json|parquet))?$/.exec(text.slice(0, Math.max(at, 0))) ?? [];
  if (named === "" || file === "") throw new SyntaxError("expected name=file, such as regions=regions.csv");
  const extension = /\.([^./\\]+)$/.exec(file)?.[1] ?? "";
  const format = formats.get((chosen ?? extension).toLowerCase());
  if (format !== undefined) return { name: named, format, file };
  const example = `${named}:csv=${file}`;
  throw new SyntaxError(
    file === "-" || extension === ""
      ? `expected a format for ${file}, such as ${example}; use csv, json or parquet`
      : `expected a CSV, JSON or Parquet file, got the extension .${extension}; choose the format: ${example}`,
  );
}

/** Checks that stdin and each name are used once. @throws {UsageError} */
export function checkTableFiles(files: readonly TableFile[], isStatementOnStdin: boolean, statements: number): void {
  const names = files.map(({ name }) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw new UsageError(`two files for the table ${repeated}; use each name once`);
  const ofStdin = files.filter(({ file }) => file === "-").length;
  if (ofStdin > 0 && isStatementOnStdin)
    throw new UsageError("cannot read the statement and a table from stdin; pass the statement as the argument");
  if (ofStdin > 1) throw new UsageError("cannot read two tables from stdin; name a file for the others");
  if (ofStdin > 0 && statements > 1)
    throw new UsageError(`cannot read a table from stdin for ${statements} statements; name a file`);
}

/**
 * Uploads files for one statement. Returns the ids of the uploads by the names of the tables.
 * @throws {UsageError} A file cannot be read.
 */
export async function uploadTables(
  client: Client,
  files: readonly TableFile[],
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const uploads: [string, string][] = [];
  for (const { name, format, file } of files)
    uploads.push([
      name,
      file === "-"
        ? await uploadFile(client, stdin, { format, signal })
        : await uploadPath(client, file, format, signal),
    ]);
  return Object.fromEntries(uploads);
}

async function uploadPath(client: Client, path: string, format: Format, signal: AbortSignal): Promise<string> {
  const unreadable = ({ message }: Error): never => {
    throw new UsageError(`cannot read ${path}: ${message}; check the path of --with`);
  };
  const file = await open(path).catch(unreadable);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new UsageError(`cannot read ${path}: it is a folder; name a file in --with`);
    // The size of a pipe is unknown.
    const bytes = stats.isFile() ? stats.size : undefined;
    return await uploadFile(client, file.createReadStream({ autoClose: false }), { format, bytes, signal });
  } finally {
    await file.close();
  }
}
