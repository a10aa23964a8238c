import fs from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createReserve } from "../../src/disk/reserve.ts";
import { temporaryDirectory } from "../fixture.ts";

const size = 16_000_000;
const blocks = async (path: string) => (await stat(path)).blocks * 512;

it("is freed in parts, and reserved again when the disk has room", async () => {
  const dataDir = await temporaryDirectory();
  const path = join(dataDir, "reserve");
  const reserve = createReserve(dataDir);
  expect([reserve.isWhole, reserve.free()]).toEqual([false, false]);
  await reserve.restore(2 * size - 1);
  expect(reserve.isWhole).toBe(false);
  await Promise.all([reserve.restore(2 * size), reserve.restore(2 * size)]);
  expect(reserve.isWhole).toBe(true);
  expect(await blocks(path)).toBeGreaterThanOrEqual(size); // it takes space, unlike a file with a hole

  expect([reserve.free(), reserve.isWhole, (await stat(path)).size]).toEqual([true, false, 12_000_000]);
  expect([reserve.free(), reserve.free(), reserve.free(), reserve.free()]).toEqual([true, true, true, false]);
  expect((await stat(path)).size).toBe(0);
});

it("continues the file of an earlier server", async () => {
  const dataDir = await temporaryDirectory();
  const path = join(dataDir, "reserve");
  await writeFile(path, new Uint8Array(5_000_000));
  const reserve = createReserve(dataDir);
  expect([reserve.isWhole, reserve.free()]).toEqual([false, true]);
  await reserve.restore(2 * size);
  expect([reserve.isWhole, (await stat(path)).size]).toEqual([true, size]);
});

it("can neither free nor restore what is no file, and tries again", async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, "reserve"));
  const reserve = createReserve(dataDir);
  for (let tries = 0; tries < 2; tries += 1) {
    expect(reserve.free()).toBe(false);
    await expect(reserve.restore(2 * size)).rejects.toMatchObject({ code: "EISDIR" });
  }
});

it("stops when the disk is full again, and keeps what it has reserved, for its owner only", async () => {
  const dataDir = await temporaryDirectory();
  const { writeSync } = fs;
  onTestFinished(() => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  });
  let blocks = 0;
  fs.writeSync = ((...write: Parameters<typeof writeSync>) => {
    blocks += 1;
    if (blocks > 3) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    return writeSync(...write);
  }) as typeof writeSync;
  syncBuiltinESMExports();
  const reserve = createReserve(dataDir);
  await reserve.restore(2 * size);
  const { size: reserved, mode } = await stat(join(dataDir, "reserve"));
  expect([reserve.isWhole, reserved, blocks]).toEqual([false, 3_000_000, 4]);
  expect(mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
  expect([reserve.free(), reserve.free()]).toEqual([true, false]);
});
