import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checksumText } from "../../src/cache/checksum.ts";
import { type FileCache, openFileCache } from "../../src/cache/file-cache.ts";
import { temporaryDirectory } from "../fixture.ts";

let work: string;
let caches = 0;
beforeAll(async () => {
  work = await temporaryDirectory();
});
afterAll(() => rm(work, { recursive: true, force: true }));

async function emptyCache(maxBytes: number): Promise<{ cache: FileCache; directory: string }> {
  const directory = join(work, `cache-${++caches}`);
  await mkdir(directory);
  return { directory, cache: await openFileCache({ directory, maxBytes, isReadableForAll: false }) };
}

/** Returns a function that writes a file of 100 bytes, and the number of its calls. */
function writer(text: string) {
  const content = text.padEnd(100, ".");
  const write = async (path: string): Promise<string> => {
    write.calls += 1;
    await writeFile(path, content);
    return checksumText(crc32(content));
  };
  write.calls = 0;
  return write;
}

const file = (result: string, part = "whole", bytes = 100) => ({ result, part, bytes });

describe("the cache", () => {
  it("writes a file once for all callers that open it at the same time, and again after a failure", async () => {
    const { cache } = await emptyCache(1_000);
    let calls = 0;
    const failing = async (): Promise<string> => {
      calls += 1;
      throw new Error("broken");
    };
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => cache.open(file("a.1"), failing)));
    expect([calls, ...outcomes.map(({ status }) => status)]).toEqual([1, "rejected", "rejected", "rejected"]);
    expect(cache.usedBytes()).toBe(0);
    const write = writer("a");
    const files = await Promise.all([1, 2, 3].map(() => cache.open(file("a.1"), write)));
    expect(new Set(files.map(({ path }) => path)).size).toBe(1);
    expect([write.calls, cache.usedBytes()]).toEqual([1, 100]);
  });

  it("removes the files that were used least recently, and none in use", async () => {
    const { cache, directory } = await emptyCache(300);
    const writes = { a: writer("a"), b: writer("b"), c: writer("c"), d: writer("d") };
    const inUse = await cache.open(file("a.1"), writes.a);
    for (const name of ["b", "c", "b", "d"] as const)
      await (await cache.open(file(`${name}.1`), writes[name])).release();
    expect(cache.results().toSorted()).toEqual(["a.1", "b.1", "d.1"]);
    expect((await readFile(inUse.path, "utf8")).startsWith("a")).toBe(true);
    expect(await readdir(directory)).toHaveLength(3);
    expect([writes.b.calls, cache.usedBytes()]).toEqual([1, 300]);
  });

  it("lets a caller wait for the release of files in use, and admits a file that never fits alone", async () => {
    const { cache } = await emptyCache(250);
    const held = [await cache.open(file("a.1"), writer("a")), await cache.open(file("b.1"), writer("b"))];
    let isOpen = false;
    const large = cache.open(file("large.1", "whole", 900), writer("large")).then((opened) => {
      isOpen = true;
      return opened;
    });
    const small = cache.open(file("c.1"), writer("c"));
    await held[0]?.release();
    await (await small).release();
    expect(isOpen).toBe(false);
    await held[1]?.release();
    const opened = await large;
    expect(cache.usedBytes()).toBe(900);
    await opened.release();
    expect(cache.usedBytes()).toBe(0);
  });

  it("keeps whole files over a restart, and removes all others", async () => {
    const { cache, directory } = await emptyCache(1_000);
    await (await cache.open(file("a.1"), writer("a"))).release();
    await (await cache.open(file("b.1", "0-50"), writer("b"))).release();
    await writeFile(join(directory, "half.tmp"), "half");
    const next = await openFileCache({ directory, maxBytes: 1_000, isReadableForAll: false });
    expect([next.results(), next.usedBytes(), (await readdir(directory)).length]).toEqual([["a.1"], 100, 1]);
    const write = writer("a");
    const found = await next.find("a.1", "whole");
    expect((await readFile(found?.path ?? "", "utf8")).startsWith("a")).toBe(true);
    await found?.release();
    await (await next.open(file("a.1"), write)).release();
    expect(write.calls).toBe(0);
  });

  it.each([
    ["truncated", (path: string) => truncate(path, 50)],
    ["enlarged", (path: string) => appendFile(path, "more")],
    ["changed", (path: string) => writeFile(path, "b".repeat(100))],
    ["removed", (path: string) => rm(path)],
  ])("writes a file again that was %s, in this start or an earlier one", async (_, damage) => {
    for (const isRestarted of [false, true]) {
      const { cache, directory } = await emptyCache(1_000);
      const first = await cache.open(file("a.1"), writer("a"));
      await first.release();
      const current = isRestarted
        ? await openFileCache({ directory, maxBytes: 1_000, isReadableForAll: false })
        : cache;
      await damage(first.path);
      expect(await current.find("a.1", "whole")).toBeUndefined();
      const write = writer("a");
      const again = await current.open(file("a.1"), write);
      expect([write.calls, (await stat(again.path)).size, current.usedBytes()]).toEqual([1, 100, 100]);
    }
  });

  it("keeps a removed file until its last reader releases it, and gives it to nobody else", async () => {
    const { cache, directory } = await emptyCache(1_000);
    const [one, other] = await Promise.all([1, 2].map(() => cache.open(file("a.1"), writer("a"))));
    await cache.remove("a.1");
    expect([await cache.find("a.1", "whole"), cache.results()]).toEqual([undefined, []]);
    await one?.release();
    await one?.release();
    expect((await readFile(other?.path ?? "", "utf8")).startsWith("a")).toBe(true);
    await other?.release();
    expect([await readdir(directory), cache.usedBytes()]).toEqual([[], 0]);
  });

  it("gives a file that is removed while it is written to nobody", async () => {
    const { cache, directory } = await emptyCache(1_000);
    let calls = 0;
    const opened = await cache.open(file("a.1"), async (path) => {
      calls += 1;
      if (calls === 1) await cache.remove("a.1");
      return writer("a")(path);
    });
    expect([calls, cache.usedBytes(), (await readdir(directory)).length]).toEqual([2, 100, 1]);
    await opened.release();
  });

  it("has files that other users can read, if they do", async () => {
    const directory = join(work, `cache-${++caches}`);
    await mkdir(directory);
    const cache = await openFileCache({ directory, maxBytes: 1_000, isReadableForAll: true });
    const write = async (path: string): Promise<string> => {
      const checksum = await writer("a")(path);
      await chmod(path, 0o600);
      return checksum;
    };
    const opened = await cache.open(file("a.1"), write);
    const path = join(work, "owner-only");
    await cache.adopt("b.1", path, 100, await write(path));
    const adopted = await cache.find("b.1", "whole");
    const modes = await Promise.all([opened, adopted].map(async (each) => (await stat(each?.path ?? "")).mode & 0o777));
    expect(modes).toEqual(process.platform === "win32" ? [0o666, 0o666] : [0o644, 0o644]);
  });

  it("adopts a file if it fits beside those in use", async () => {
    const { cache } = await emptyCache(250);
    const path = join(work, "adopted");
    const adopt = async (result: string, bytes = 100): Promise<boolean> => {
      const checksum = await writer(result)(path);
      return cache.adopt(result, path, bytes, checksum);
    };
    expect([await adopt("a.1"), await adopt("a.1"), await adopt("large.1", 251)]).toEqual([true, false, false]);
    const held = await Promise.all(["b.1", "c.1"].map((name) => cache.open(file(name), writer(name))));
    expect(await adopt("d.1")).toBe(false);
    await held[0]?.release();
    expect(await adopt("d.1")).toBe(true);
    expect(cache.usedBytes()).toBe(200);
  });
});
