import { execFileSync, spawnSync } from "node:child_process";
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTarget, write } from "../../src/output/target.ts";

/** Mounts a folder on itself in a new namespace, which ends with the process. */
function canMount(): boolean {
  return spawnSync("unshare", ["--mount", "mount", "--bind", "/tmp", "/tmp"]).status === 0;
}

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

  it.runIf(process.platform !== "win32")("is the one that a link names, also if it does not exist yet", async () => {
    await symlink("new.csv", join(folder, "link.csv"));
    await symlink("link.csv", join(folder, "link-to-link.csv"));
    const target = await openTarget(join(folder, "link-to-link.csv"), new PassThrough());
    await write(target.stream, "new");
    expect(await target.keep()).toBe(undefined);
    expect(await readFile(join(folder, "new.csv"), "utf8")).toBe("new");
    expect(await readlink(join(folder, "link.csv"))).toBe("new.csv");
    expect(await readdir(folder)).toEqual(["link-to-link.csv", "link.csv", "new.csv"]);
  });

  it.runIf(process.platform !== "win32")("cannot be a link in a circle", async () => {
    await symlink("b", join(folder, "a"));
    await symlink("a", join(folder, "b"));
    await expect(openTarget(join(folder, "a"), new PassThrough())).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(/^cannot write .*: ELOOP/),
    });
    expect(await readlink(join(folder, "a"))).toBe("b");
  });

  it.runIf(process.platform !== "win32").each([0o600, 0o640, 0o666, 0o755])("keeps the mode %o", async (mode) => {
    const path = join(folder, "result.csv");
    await writeFile(path, "old");
    await chmod(path, mode);
    const target = await openTarget(path, new PassThrough());
    await write(target.stream, "new");
    // The part must not be readable for more users than the file.
    const [part = ""] = (await readdir(folder)).filter((name) => name.endsWith(".part"));
    expect((await stat(join(folder, part))).mode & 0o777).toBe(mode);
    await target.keep();
    expect([(await stat(path)).mode & 0o777, await readFile(path, "utf8")]).toEqual([mode, "new"]);
  });

  it.runIf(process.getuid?.() === 0)("keeps the owner where root writes it", async () => {
    const path = join(folder, "result.csv");
    await writeFile(path, "old");
    await chown(path, 1234, 1235);
    const target = await openTarget(path, new PassThrough());
    await target.keep();
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 1235 });
  });

  it("loses its other hard links, which keep the old content, and says so", async () => {
    const path = join(folder, "result.csv");
    await writeFile(path, "old");
    await link(path, join(folder, "other.csv"));
    const target = await openTarget(path, new PassThrough());
    await write(target.stream, "new");
    expect(await target.keep()).toBe("its other hard links keep the old content");
    expect(await readFile(join(folder, "other.csv"), "utf8")).toBe("old");
    expect(await readFile(path, "utf8")).toBe("new");
  });

  const itWithMounts = it.skipIf(!canMount()); // only root can mount, and not in every container
  itWithMounts("is written in place if it is a mount, and says so", async () => {
    const path = join(folder, "mount.csv");
    const source = join(folder, "source.csv");
    await writeFile(source, "an older and longer text");
    await writeFile(path, "");
    execFileSync("mount", ["--bind", source, path]);
    try {
      const target = await openTarget(path, new PassThrough());
      await write(target.stream, "new");
      expect(await target.keep()).toBe("it cannot be replaced (EBUSY), so it was written in place");
    } finally {
      execFileSync("umount", [path]);
    }
    expect(await readFile(source, "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["mount.csv", "source.csv"]);
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
  expect(await target.keep()).toBe("it is a device, so it was written directly");
  expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
});
