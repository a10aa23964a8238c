import { once } from "node:events";
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createPipe, openPipe, type Pipe, pipePieces } from "../../src/writer/pipe.ts";
import type { Piece } from "../../src/writer/rows-file.ts";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  path = join(directory, "pipe");
  await createPipe(path);
});
afterEach(() => rm(directory, { recursive: true }));

const never = new AbortController().signal;

async function textOf(): Promise<string> {
  const chunks: Buffer[] = await createReadStream(path).toArray();
  return Buffer.concat(chunks).toString();
}

/** Returns true if a promise is pending after all callbacks that are due have run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  const later = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise.catch(() => {}), later])) === pending;
}

// Elsewhere it is undefined to open a pipe for both reading and writing.
describe.runIf(process.platform === "linux")("a pipe to another process", () => {
  it("takes pieces before its reader has opened it, and ends after them", async () => {
    const pipe = openPipe(path, never);
    await pipe.write("a");
    await pipe.write(Buffer.from("b"));
    const ended = pipe.end();
    expect(await isPending(ended)).toBe(true);
    expect(await textOf()).toBe("ab");
    await ended;
  });

  const waiting = async (pipe: Pipe, write: Promise<void>): Promise<boolean> => {
    const isWaiting = await isPending(write);
    write.catch(() => {}); // the pipe is given up
    pipe.destroy();
    return isWaiting;
  };

  it("takes up to 1 MiB", async () => {
    const full = openPipe(path, never);
    await full.write(Buffer.alloc(1_048_575));
    await full.write("a");
    expect(await waiting(full, full.write("b"))).toBe(true);
  });

  it("takes up to 1,000 writes", async () => {
    const pipe = openPipe(path, never);
    for (let count = 0; count < 1_000; count += 1) await pipe.write("a");
    expect(await waiting(pipe, pipe.write("b"))).toBe(true);
  });

  it("that is given up rejects its writes", async () => {
    const pipe = openPipe(path, never);
    await pipe.write("a");
    const ended = pipe.end();
    pipe.destroy();
    await expect(ended).rejects.toThrow("aborted");
  });

  it("ends with the reason of an abort, before its reader has opened it", async () => {
    const controller = new AbortController();
    const pipe = openPipe(path, controller.signal);
    const ended = pipe.end();
    controller.abort(new Error("left"));
    await expect(ended).rejects.toThrow("left");
    await expect(openPipe(path, AbortSignal.abort(new Error("before"))).end()).rejects.toThrow("before");
  });

  it("ends with an abort while its reader is slow", async () => {
    const controller = new AbortController();
    const pipe = openPipe(path, controller.signal);
    await pipe.write(Buffer.alloc(1_000_000));
    const reader = createReadStream(path); // reads nothing yet
    const ended = pipe.end();
    await new Promise((resolve) => reader.once("open", resolve));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expect(ended).rejects.toThrow();
    reader.destroy();
  });

  it("ends with the error of its source, the reason of an abort, or the limit of bytes", async () => {
    async function* pieces(end: () => Promise<void>): AsyncGenerator<Piece> {
      yield "a";
      await end();
    }
    const reader = createReadStream(path);
    const chunks = reader.toArray();
    const broken = async () => {
      await once(reader, "open");
      throw new Error("the connection was reset");
    };
    await expect(pipePieces(path, pieces(broken), 10, never)).rejects.toThrow("the connection was reset");
    await chunks; // the reader reaches the end of the pipe
    const leaving = new AbortController();
    const aborted = pipePieces(
      path,
      pieces(async () => leaving.abort("enough")),
      10,
      leaving.signal,
    );
    await expect(aborted).rejects.toBe("enough");
    await expect(
      pipePieces(
        path,
        pieces(async () => {}),
        0,
        never,
      ),
    ).rejects.toMatchObject({
      failure: { name: "ResultTooLarge" },
    });
  });

  it("that does not exist is an error", async () => {
    await expect(openPipe(join(directory, "missing"), never).end()).rejects.toThrow("ENOENT");
  });
});

it("creates no pipe under a name that is in use", async () => {
  await writeFile(join(directory, "file"), "");
  expect(await createPipe(join(directory, "file"))).toBe(false);
});
