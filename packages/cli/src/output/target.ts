import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { UsageError } from "../cli-error.ts";

/** Where output goes. A file has its name only once it is whole. */
export interface Target {
  readonly stream: Writable & { readonly isTTY?: boolean };
  /** All is written. */
  keep(): Promise<void>;
  /** It is not, and will not be. */
  drop(): Promise<void>;
}

/** A file, or stdout where none is named. @throws {UsageError} where the file cannot be written */
export async function openTarget(file: string | undefined, stdout: Target["stream"]): Promise<Target> {
  if (file === undefined) return { stream: stdout, keep: async () => {}, drop: async () => {} };
  const path = await realpath(file).catch(() => file);
  // A pipe or a device takes the bytes as they come.
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => true,
  );
  const part = isFile ? `${path}.${process.pid}.part` : path;
  const stream = createWriteStream(part);
  await once(stream, "open").catch((error: Error) => {
    throw new UsageError(`the output cannot be written: ${error.message}`);
  });
  stream.on("error", () => {}); // the next write tells it
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
