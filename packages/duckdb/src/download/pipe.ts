import { execFile } from "node:child_process";
import { closeSync, constants, createReadStream, existsSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ChildDirectory } from "../processes/child-directory.ts";

/**
 * Receives bytes. They are valid until `release` is called: the next bytes then use the same memory. Reading stops while
 * all memory is in use.
 */
export type OnChunk = (chunk: Uint8Array, release: () => void) => void;

/** File that one process writes while another reads it. */
export interface Pipe {
  /** Path for the process that writes. */
  readonly path: string;
  /** Reads to the end. Rejects if the pipe is closed before. Call it once. */
  read(onChunk: OnChunk): Promise<void>;
  /** Marks the end: the reader ends after the bytes that are already written. */
  finish(): void;
  close(): void;
}

/** Size of the memory of a chunk. A pipe of Linux holds as many bytes. */
const chunkBytes = 65_536;
/** Number of chunks in memory: one that is read, the others while they are sent. */
const chunkCount = 4;

const pipeName = "pipe";

/** The process that writes could have replaced the pipe by a link, which the service must not follow. */
const withoutBlocking = constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Opens a named pipe, because the engine can only write to a path. A full pipe blocks the writer, so a slow reader
 * needs no memory. Windows has no such pipes: there the bytes are written to a file, which is read when it is complete.
 */
export async function openPipe(directory: Pick<ChildDirectory, "path" | "ownPath" | "give">): Promise<Pipe> {
  const path = join(directory.path, pipeName);
  if (process.platform === "win32") return filePipe(path);
  // A pipe that both sides have closed is empty, so the next download of the process can use it.
  if (!existsSync(path)) {
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    await directory.give(pipeName);
  }
  // While the server itself has the pipe open for writing, the reader does not end before the process has opened the
  // pipe, nor each time the process closes it.
  let writeEnd: number | undefined = openSync(path, constants.O_RDWR | withoutBlocking);
  const fd = openSync(path, constants.O_RDONLY | withoutBlocking);
  let socket: Socket | undefined;
  const finish = (): void => {
    if (writeEnd !== undefined) closeSync(writeEnd);
    writeEnd = undefined;
  };
  let isClosed = false;
  return {
    path: join(directory.ownPath, pipeName),
    finish,
    async read(onChunk) {
      if (isClosed) throw closedEarly();
      socket = openSocket(fd, onChunk);
      await endOf(socket);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      finish();
      if (socket === undefined) closeSync(fd);
      else socket.destroy();
    },
  };
}

/**
 * Reads a pipe into memory that is used again. A buffer for each read would be garbage after it was sent: a download of
 * 100 MB would take the service three times the processor time, and 16 % longer.
 */
function openSocket(fd: number, onChunk: OnChunk): Socket {
  const free = Array.from({ length: chunkCount }, (): Uint8Array => new Uint8Array(chunkBytes));
  let isPaused = false;
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      // Called after each `callback`, which pauses before the last buffer is taken for the next read.
      buffer: () => free.pop() as Uint8Array,
      callback(length, buffer) {
        onChunk(buffer.subarray(0, length), () => {
          free.push(buffer);
          if (isPaused) socket.resume();
          isPaused = false;
        });
        isPaused = free.length === 1;
        return !isPaused;
      },
    },
  });
  return socket;
}

function endOf(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("end", resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(closedEarly()));
  });
}

function closedEarly(): Error {
  return new Error("The download was closed before its end.");
}

function filePipe(path: string): Pipe {
  const closing = new AbortController();
  let finish = (): void => {};
  const isComplete = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return {
    path,
    finish,
    async read(onChunk) {
      await isComplete;
      for await (const chunk of createReadStream(path, { signal: closing.signal }))
        await new Promise<void>((release) => onChunk(chunk, release));
    },
    close() {
      closing.abort();
      finish();
      rmSync(path, { force: true });
    },
  };
}
