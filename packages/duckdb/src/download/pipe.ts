import { execFile } from "node:child_process";
import { closeSync, constants, createReadStream, existsSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { promisify } from "node:util";

/** A file into which a process writes while another reads. */
export interface Pipe {
  readonly path: string;
  readonly readable: Readable;
  /** All is written: the reader comes to an end after the rest. */
  finish(): void;
  close(): void;
}

/**
 * A named pipe, because the engine writes to paths only. What is not read yet holds its writer back. Where there are no
 * named pipes the bytes lie in a file until all are written.
 */
export async function openPipe(directory: string): Promise<Pipe> {
  const path = join(directory, "pipe");
  if (process.platform === "win32") return filePipe(path);
  // A pipe that both sides have closed is empty, and serves the next download of the process.
  if (!existsSync(path)) await promisify(execFile)("mkfifo", ["-m", "600", path]);
  // Our own end for writing keeps the pipe from ending before its writer comes, or between two of its openings.
  let keeper: number | undefined = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const readable = new Socket({ fd, readable: true, writable: false });
  const finish = (): void => {
    if (keeper !== undefined) closeSync(keeper);
    keeper = undefined;
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
