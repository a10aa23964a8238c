import { createReadStream } from "node:fs";
import { lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { partSeparator } from "../../src/writer/part-bytes.ts";
import type { Piece } from "../../src/writer/rows-file.ts";
import { createPipes, pipePieces } from "../../src/writer/rows-pipe.ts";

let directory: string;
let paths: readonly string[];
beforeEach(async () => {
  directory = await temporaryDirectory();
  paths = ["rows-0", "rows-1", "rows-2", "rows-3"].map((name) => join(directory, name));
  await createPipes(paths);
});
afterEach(() => rm(directory, { recursive: true }));

const never = new AbortController().signal;
/** More than half of a pipe. */
const partLength = 17_000_000;
const maxBytes = 100_000_000;

/** Yields parts of JSON with the numbers 0, 1 … */
async function* partsOf(count: number, end: () => Promise<void> = async () => {}): AsyncGenerator<Piece> {
  yield "[";
  for (let part = 0; part < count; part += 1) {
    if (part > 0) yield partSeparator;
    yield Buffer.from(`${part}`.padEnd(partLength));
  }
  await end();
  yield "]\n";
}

/** Reads a pipe, or a file instead of one, to its end. */
async function read(path: string): Promise<readonly number[]> {
  const chunks: Buffer[] = await createReadStream(path).toArray();
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function readAll(): Promise<readonly (readonly number[])[]> {
  const files: (readonly number[])[] = [];
  for (const path of paths) files.push(await read(path));
  return files;
}

const describeOnLinux = describe.skipIf(process.platform !== "linux"); // other systems have no such pipes

describeOnLinux("rows in pipes", () => {
  it("continue in the next pipe between two parts, and the last pipes have none", async () => {
    const written = pipePieces({ encoding: "arrays", paths, maxBytes }, partsOf(5), never);
    expect(await readAll()).toEqual([[0, 1], [2, 3], [4], []]);
    await written;
  });

  it("wait for their reader, which looks for all pipes before it opens the first", async () => {
    const written = pipePieces({ encoding: "arrays", paths, maxBytes }, partsOf(0), never);
    await setTimeout(50);
    for (const path of paths) expect((await lstat(path)).isFIFO(), path).toBe(true);
    expect(await readAll()).toEqual([[], [], [], []]);
    await written;
  });

  it("end with the error of their source, or the reason of an abort, also in a later pipe", async () => {
    const broken = () => Promise.reject(new Error("the connection was reset"));
    const failed = pipePieces({ encoding: "arrays", paths, maxBytes }, partsOf(3, broken), never);
    const reading = paths.slice(0, 2).map((path) => createReadStream(path).toArray());
    await expect(failed).rejects.toThrow("the connection was reset");
    await Promise.all(reading);
    const leaving = new AbortController();
    const pipes = { encoding: "arrays", paths: paths.slice(2), maxBytes } as const;
    const aborted = pipePieces(pipes, partsOf(5), leaving.signal);
    const rejected = expect(aborted).rejects.toBe("enough");
    await read(paths[2] ?? ""); // and nobody opens the next one
    leaving.abort("enough");
    await rejected;
  });
});
