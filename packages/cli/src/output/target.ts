import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { UsageError } from "../errors/cli-error.ts";

/** Destination of the output. A regular file is written under a temporary name and renamed when it is complete. */
export interface Target {
  readonly stream: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Ends complete output. */
  keep(): Promise<void>;
  /** Discards incomplete output. */
  drop(): Promise<void>;
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  // With a character more, since `dirname` ignores a slash at the end.
  ENOENT: (path) => `the folder ${dirname(`${path}.`)} does not exist; create it, or name another file`,
  EISDIR: () => "it is a folder; name a file in it",
};

/** Returns true for the path of a regular file, also one that does not exist; false for that of a pipe or device. */
export async function isRegular(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => true,
  );
}

/** Opens a file, or stdout if no file is named. @throws {UsageError} The file cannot be written. */
export async function openTarget(file: string | undefined, stdout: Target["stream"]): Promise<Target> {
  if (file === undefined) return { stream: stdout, keep: async () => {}, drop: async () => {} };
  const path = await realpath(file).catch(() => file);
  // A pipe or a device is written directly: renaming a file to its path would replace it.
  const isFile = await isRegular(path);
  const part = isFile ? `${path}.${process.pid}.part` : path;
  const stream = createWriteStream(part);
  await once(stream, "open").catch(({ code = "", message }: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${file}: ${reasons[code]?.(path) ?? message}`);
  });
  stream.on("error", () => {}); // the next `write` throws the error
  return {
    stream,
    async keep() {
      stream.end();
      await finished(stream);
      if (isFile) await rename(part, path);
    },
    async drop() {
      stream.destroy();
      if (isFile) await rm(part, { force: true });
    },
  };
}

/** Writes to a stream and waits for `drain`, so that a large result is never buffered in memory. */
export async function write(stream: Writable, bytes: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (bytes.length > 0 && !stream.write(bytes)) await once(stream, "drain", { signal });
}
