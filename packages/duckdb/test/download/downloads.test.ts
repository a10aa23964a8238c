import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
// The built package is used, because its processes start faster than from sources.
import { createDownloads, type Download, type Downloads } from "../../dist/index.js";
import type { DownloadTask } from "../../src/download/task.ts";
import { textCells } from "../../src/download/text-cell.ts";
import { readDatabases } from "../sources/data.ts";
import { bytesOf } from "./bytes-of.ts";

let directory: string;
let work: string;
let downloads: Downloads;
beforeAll(async () => {
  directory = await temporaryDirectory();
  for (const [file, rows] of Object.entries({ small: 3, large: 1_000_000 }))
    await readDatabases(
      [],
      `COPY (SELECT range AS c0 FROM range(${rows})) TO '${join(directory, file)}' (FORMAT parquet)`,
    );
});
beforeEach(async () => {
  work = join(directory, `work-${randomUUID()}`);
  await mkdir(work);
  downloads = createDownloads({ workDirectory: work, maxDownloads: 3, spillMegabytes: 10 });
});
afterEach(() => downloads.close());
afterAll(() => rm(directory, { recursive: true }));

it("a tenant can have half of the downloads that others leave free", async () => {
  const open = async (tenant: string) => {
    const task = { paths: ["missing"], columns: [], rowCount: 0, totalBytes: 0, format: "csv" } as const;
    const download = await downloads.open(tenant, task);
    download?.written.catch(() => {}); // the test ends each before it is written
    return download;
  };
  const first = await open("a");
  expect(first).toBeDefined();
  expect(await open("a")).toBeDefined();
  expect(await open("a")).toBeUndefined();
  expect(await open("b")).toBeDefined();
  expect(await open("c")).toBeUndefined();
  expect(await open("a")).toBeUndefined();
  await first?.end();
  expect(await open("c")).toBeDefined();
});

const rowCounts = { small: 3, large: 1_000_000, missing: 1 };

async function open(
  tenant: string,
  file: keyof typeof rowCounts,
  wanted: Partial<Pick<DownloadTask, "format" | "totalBytes">> = {},
): Promise<Download> {
  const download = await downloads.open(tenant, {
    paths: [join(directory, file)],
    columns: [{ name: "n", kind: "number", engineType: "BIGINT" }],
    rowCount: rowCounts[file],
    totalBytes: 1,
    format: "csv",
    ...wanted,
  });
  if (download === undefined) throw new Error("too many downloads are under way");
  return download;
}

/** Reads a download to its end and returns its process. */
async function whole(tenant: string): Promise<number> {
  const download = await open(tenant, "small");
  expect(await textOf(download)).toBe("n\n0\n1\n2\n");
  return download.pid;
}

async function textOf(download: Download): Promise<string> {
  const bytes = await bytesOf(download);
  await download.end();
  return bytes.toString();
}

it("reuses a process for its tenant, and never for another", async () => {
  const pid = await whole("d");
  expect(await whole("e")).not.toBe(pid);
  expect(await whole("d")).toBe(pid);
});

it("does not reuse the process of a failed or aborted download", async () => {
  const failed = await open("f", "missing");
  await expect(failed.written).rejects.toThrow("ENOENT");
  await failed.end();
  const left = await open("f", "large");
  expect(left.pid).not.toBe(failed.pid);
  left.written.catch(() => {}); // the test ends it before it is written
  await new Promise<void>((resolve) => void left.read(() => resolve()).catch(() => {}));
  await left.end();
  const pid = await whole("f");
  expect(pid).not.toBe(left.pid);
  expect(isRunning(left.pid)).toBe(false);
});

it("rejects a read after the end", async () => {
  const download = await open("j", "large");
  download.written.catch(() => {}); // the test ends it before it is written
  await download.end();
  await expect(download.read(() => {})).rejects.toThrow("closed before its end");
});

it("stops reading while no chunk is released, and uses the memory of released chunks again", async () => {
  const download = await open("h", "large");
  const held: (() => void)[] = [];
  const memory = new Set<ArrayBufferLike>();
  const text: string[] = [];
  let isHolding = true;
  const read = download.read((chunk, release) => {
    text.push(Buffer.from(chunk).toString());
    memory.add(chunk.buffer);
    if (isHolding) held.push(release);
    else setImmediate(release);
  });
  await expect.poll(() => held.length, { timeout: 10_000 }).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(held).toHaveLength(3);
  isHolding = false;
  for (const release of held) release();
  await Promise.all([read, download.written]);
  await download.end();
  expect(text.join("").split("\n")).toHaveLength(1_000_002);
  expect(memory.size).toBeLessThanOrEqual(4);
});

it("downloads of a tenant at the same time have a process each, and whole texts", async () => {
  const both = await Promise.all([open("g", "large"), open("g", "small")]);
  expect(new Set(both.map(({ pid }) => pid)).size).toBe(2);
  const [large, small] = await Promise.all(both.map(textOf));
  expect(large?.split("\n")).toHaveLength(1_000_002);
  expect(small).toBe("n\n0\n1\n2\n");
});

it.each(["csv", "ndjson", "arrow"] as const)(
  "large rows are written a few at a time, and all of them: %s",
  async (format) => {
    // With this size each range has one row only.
    const download = await open("i", "small", { format, totalBytes: Number.MAX_SAFE_INTEGER });
    const read = await bytesOf(download);
    await download.end();
    const numbers = format === "arrow" ? [...(tableFromIPC(read).getChild("n") ?? [])] : read.toString().match(/\d/g);
    expect(numbers?.map(Number)).toEqual([0, 1, 2]);
  },
);

it("texts and numbers are written by the engine, in a list as well", () => {
  const texts = ["VARCHAR", "ENUM('a')", "UUID", "TIME", "TIME WITH TIME ZONE", "TIME_NS", "INTERVAL", "BIT"];
  const numbers = ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "BIGINT"];
  const others = ["UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "DOUBLE", "FLOAT", "DECIMAL(9,2)", "GEOMETRY"];
  for (const engineType of [...texts, ...numbers, ...others])
    for (const format of ["csv", "ndjson"] as const)
      expect([engineType, textCells([{ name: "n", kind: "unknown", engineType }], format)]).toEqual([
        engineType,
        [expect.stringContaining("c0")],
      ]);
});

it("leaves no process and no directory when it is closed", async () => {
  const pid = await whole("h");
  expect(isRunning(pid)).toBe(true);
  await downloads.close();
  expect(isRunning(pid)).toBe(false);
  expect(await readdir(work)).toEqual([]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
