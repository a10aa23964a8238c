import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
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
