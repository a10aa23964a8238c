import { once } from "node:events";
import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { chmod, chown, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { OutputError, UsageError } from "../errors/cli-error.ts";
import { groupedDigits } from "./digits.ts";

/** Destination of the output. A regular file is written under a temporary name and renamed when it is complete. */
export interface Target {
  readonly stream: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Ends complete output. Returns what differs from a file that is replaced, if anything. @throws {OutputError} */
  keep(): Promise<string | undefined>;
  /** Discards incomplete output. */
  drop(): Promise<void>;
}

/** Streams and environment of a command that prints rows. */
export interface OutputProcess {
  readonly stdout: Target["stream"];
  readonly stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  // With a character more, since `dirname` ignores a slash at the end.
  ENOENT: (path) => `the folder ${dirname(`${path}.`)} does not exist; create it, or name another file`,
  EISDIR: () => "it is a folder; name a file in it",
};

/** Errors of a rename to a file that is a mount or, in a folder with the sticky bit, belongs to another user. */
const renameErrors: readonly unknown[] = ["EBUSY", "EPERM", "EXDEV"];

/** Returns true for the path of a regular file, also one that does not exist; false for that of a pipe or device. */
export async function isRegular(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => true,
  );
}

/** Opens a file, or stdout if no file is named. @throws {UsageError} The file cannot be written. */
export async function openTarget(file: string | undefined, stdout: Target["stream"]): Promise<Target> {
  if (file === undefined) return { stream: stdout, keep: async () => undefined, drop: async () => {} };
  const path = await resolvedPath(file);
  const found = await stat(path).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === "ENOENT") return undefined;
    throw new UsageError(`cannot write ${file}: ${message}`);
  });
  // A pipe or a device is written directly: renaming a file to its path would replace it.
  if (found !== undefined && !found.isFile()) {
    const stream = await opened(file, path, path);
    const note = `it is a ${found.isFIFO() ? "pipe" : "device"}, so it was written directly`;
    return { stream, keep: () => ended(file, stream).then(() => note), drop: async () => void stream.destroy() };
  }
  const part = `${path}.${process.pid}.part`;
  const stream = await opened(file, path, part, found);
  return {
    stream,
    async keep() {
      await ended(file, stream);
      try {
        await rename(part, path);
        return found && found.nlink > 1 ? "its other hard links keep the old content" : undefined;
      } catch (error) {
        if (!renameErrors.includes(Object(error).code)) throw error;
        await pipeline(createReadStream(part), createWriteStream(path)).catch((cause) => fail(file, cause));
        await rm(part);
        return `it cannot be replaced (${Object(error).code}), so it was written in place`;
      }
    },
    async drop() {
      stream.destroy();
      await rm(part, { force: true });
    },
  };
}

/** Follows links, also to a file that does not exist yet. */
async function resolvedPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const next = await readlink(file).catch(() => undefined);
    const isMissing = Object(error).code === "ENOENT"; // links in a circle are another error
    return next === undefined || !isMissing ? file : resolvedPath(resolve(dirname(file), next));
  }
}

/** Opens a file to write, with the mode and owner of the file that it will replace. */
async function opened(file: string, path: string, part: string, old?: Stats) {
  const mode = old && old.mode & 0o777;
  const stream = createWriteStream(part, { mode });
  await once(stream, "open").catch(({ code = "", message }: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${file}: ${reasons[code]?.(path) ?? message}`);
  });
  stream.on("error", () => {}); // the next `write` throws the error
  if (old === undefined || mode === undefined) return stream;
  // Only root can give a file to another user.
  await chown(part, old.uid, old.gid).catch(() => {});
  await chmod(part, mode);
  return stream;
}

async function ended(file: string, stream: Writable): Promise<void> {
  stream.end();
  await finished(stream).catch((cause) => fail(file, cause));
}

/** @throws {OutputError} */
function fail(file: string, cause: unknown): never {
  throw new OutputError(file, cause);
}

/**
 * Writes to a stream and waits for `drain`, so that a large result is never buffered in memory.
 * @param writeRaw Writes a text that controls the terminal
 */
export async function write(
  stream: Writable,
  bytes: string | Uint8Array,
  signal?: AbortSignal,
  writeRaw?: (text: string) => boolean,
): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (bytes.length === 0) return;
  const isRaw = writeRaw !== undefined && typeof bytes === "string";
  if (!(isRaw ? writeRaw(bytes) : stream.write(bytes))) await once(stream, "drain", { signal });
}

/** Returns the line about a written file: its name, its size, and what differs from a replaced file. */
export function writtenText(file: string, byteCount: number, note?: string): string {
  const size = `${groupedDigits(byteCount)} ${byteCount === 1 ? "byte" : "bytes"}`;
  return `wrote ${file}: ${size}${note === undefined ? "" : `; ${note}`}`;
}
