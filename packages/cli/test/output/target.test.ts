import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTarget, write } from "../../src/output/target.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-target-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a file that takes the output", () => {
  it("appears when it is complete, and replaces an older file", async () => {
    const path = join(folder, "result.csv");
    await writeFile(path, "old");
    const target = await openTarget(path, new PassThrough());
    await write(target.stream, "new");
    expect(await readFile(path, "utf8")).toBe("old");
    await target.keep();
    expect([await readdir(folder), await readFile(path, "utf8")]).toEqual([["result.csv"], "new"]);
  });

  it("keeps the older file, and leaves no part, if the output is incomplete", async () => {
    const path = join(folder, "result.csv");
    await writeFile(path, "old");
    const target = await openTarget(path, new PassThrough());
    await write(target.stream, "half");
    await target.drop();
    expect(target.stream.destroyed).toBe(true);
    expect([await readdir(folder), await readFile(path, "utf8")]).toEqual([["result.csv"], "old"]);
  });

  // Windows lets few users make links.
  it.runIf(process.platform !== "win32")("is the one that a link names", async () => {
    await mkdir(join(folder, "there"));
    await writeFile(join(folder, "there", "result.csv"), "old");
    await symlink(join(folder, "there", "result.csv"), join(folder, "link.csv"));
    const target = await openTarget(join(folder, "link.csv"), new PassThrough());
    await write(target.stream, "new");
    await target.keep();
    expect(await readFile(join(folder, "there", "result.csv"), "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["link.csv", "there"]);
  });

  it("is a usage error with advice if it cannot be written", async () => {
    for (const missing of [join(folder, "none", "result.csv"), join(folder, "none", "/")])
      await expect(openTarget(missing, new PassThrough())).rejects.toMatchObject({
        name: "UsageError",
        message: `cannot write ${missing}: the folder ${join(folder, "none")} does not exist; create it, or name another file`,
      });
    if (process.platform === "win32") return; // it has other codes for the others
    await expect(openTarget(folder, new PassThrough())).rejects.toMatchObject({
      message: `cannot write ${folder}: it is a folder; name a file in it`,
    });
    const file = join(folder, "file");
    await writeFile(file, "");
    await expect(openTarget(join(file, "result.csv"), new PassThrough())).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot write .*: ENOTDIR/),
    });
  });
});

it("is stdout where no file is named, which is left open", async () => {
  const stdout = new PassThrough();
  const target = await openTarget(undefined, stdout);
  expect(target.stream).toBe(stdout);
  await target.keep();
  await target.drop();
  expect([stdout.writableEnded, stdout.destroyed]).toEqual([false, false]);
});

describe("writing", () => {
  it("waits while the reader is slower, until it is aborted", async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    await write(stream, "abc");
    let isWritten = false;
    const slow = write(stream, "defg").then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isWritten).toBe(false);
    stream.resume();
    await slow;
    stream.pause();
    const caller = new AbortController();
    const stopped = write(stream, "0123456789", caller.signal);
    caller.abort();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });

  it("writes nothing for no bytes, and fails as the stream has failed", async () => {
    const stream = new Writable({ highWaterMark: 0, write: () => {} });
    await write(stream, "");
    stream.on("error", () => {});
    stream.destroy(new Error("the disk is full"));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(write(stream, "a")).rejects.toThrow("the disk is full");
  });
});

it("a file whose last bytes cannot be written is an error, and the older file stays", async () => {
  const path = join(folder, "result.csv");
  await writeFile(path, "old");
  const target = await openTarget(path, new PassThrough());
  await write(target.stream, "half");
  target.stream.destroy(new Error("the disk is full"));
  await expect(target.keep()).rejects.toThrow();
  expect(await readFile(path, "utf8")).toBe("old");
});

it.runIf(process.platform !== "win32")("a device is written directly, and stays", async () => {
  const target = await openTarget("/dev/null", new PassThrough());
  await write(target.stream, "bytes");
  await target.keep();
  expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
});
