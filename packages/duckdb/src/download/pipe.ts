import { execFile } from "node:child_process";
import { closeSync, constants, createReadStream, existsSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { promisify } from "node:util";

/** File that one process writes while another reads it. */
export interface Pipe {
  readonly path: string;
  readonly readable: Readable;
  /** Marks the end: the stream ends after the bytes that are already written. */
  finish(): void;
  close(): void;
}

/**
 * Opens a named pipe, because the engine can only write to a path. A full pipe blocks the writer, so a slow reader
 * needs no memory. Windows has no such pipes: there the bytes are written to a file, which is read when it is complete.
 */
export async function openPipe(directory: string): Promise<Pipe> {
  const path = join(directory, "pipe");
  if (process.platform === "win32") return filePipe(path);
  // A pipe that both sides have closed is empty, so the next download of the process can use it.
  if (!existsSync(path)) await promisify(execFile)("mkfifo", ["-m", "600", path]);
  // While the server itself has the pipe open for writing, `readable` does not end before the process has opened the
  // pipe, nor each time the process closes it.
  let writeEnd: number | undefined = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const readable = new Socket({ fd, readable: true, writable: false });
  const finish = (): void => {
    if (writeEnd !== undefined) closeSync(writeEnd);
    writeEnd = undefined;
  };
  const close = (): void => {
    finish();
    readable.destroy();
  };
  return { path, readable, finish, close };
}

function filePipe(path: string): Pipe {
  const readable = new PassThrough();
  return {
    path,
    readable,
    finish: () => void createReadStream(path).pipe(readable),
    close() {
      readable.destroy();
      rmSync(path, { force: true });
    },
  };
}
