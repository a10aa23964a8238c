import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { OutputError, UsageError } from "../errors/cli-error.ts";
import { extensions, type Format, fileKind, isBinary } from "../output/format.ts";
import { writtenText } from "../output/target.ts";

/** File for results: of the next statement alone if its format holds one result, else of all next statements. */
export type FileOutput =
  | { readonly kind: "one"; readonly file: string; readonly format?: never }
  | { readonly kind: "all"; readonly file: string; readonly format: Format | undefined; readonly stream: WriteStream };

/** Opens a file for results. @throws {UsageError} Its extension is unknown, or it cannot be written. */
export async function openFileOutput(file: string): Promise<FileOutput> {
  const { format, extension, compression } = fileKind(file);
  if (format === undefined && extension !== "" && extension !== ".txt")
    throw new UsageError(`unknown extension ${extension} of ${file}; use one of ${extensions.join(", ")}, .txt`);
  if (compression !== undefined || (format !== undefined && isBinary(format))) return { kind: "one", file };
  const stream = createWriteStream(file);
  await once(stream, "open").catch((error: Error) => {
    throw new UsageError(`cannot write ${file}: ${error.message}`);
  });
  stream.on("error", () => {}); // the next `write` throws the error
  return { kind: "all", file, format: format ?? "table", stream };
}

/** Ends a file. Returns the line about it. @throws {OutputError} */
export async function closeFileOutput(output: FileOutput): Promise<string | undefined> {
  if (output.kind === "one") return undefined;
  output.stream.end();
  await finished(output.stream).catch((cause) => {
    throw new OutputError(output.file, cause);
  });
  return writtenText(output.file, output.stream.bytesWritten);
}
