import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checksumOf, checksumText } from "../../src/cache/checksum.ts";
import { fileName, filesOfLastStart } from "../../src/cache/file-name.ts";
import { temporaryDirectory } from "../fixture.ts";

async function directoryWith(...names: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [index, name] of names.entries()) {
    await writeFile(join(directory, name), "x".repeat(index + 1));
    await utimes(join(directory, name), 1_000 - index, 1_000 - index);
  }
  return directory;
}

it("names each file once", () => {
  expect(fileName.whole("run_a.1", "0123abcd", ".parquet")).toMatch(/^run_a\.1\.0123abcd\.[0-9a-f]{8}\.parquet$/);
  expect(fileName.partial("run_a.1")).toMatch(/^run_a\.1\.[0-9a-f]{8}\.partial$/);
  expect(fileName.temporary()).toMatch(/^[0-9a-f-]{36}\.tmp$/);
  expect(fileName.partial("a")).not.toBe(fileName.partial("a"));
});

it("keeps the whole files of an earlier start, the oldest first, and removes all others", async () => {
  const kept = ["run_a.1.0123abcd.00000000.parquet", "shop 1-a.duckdb.89abcdef.00000000.duckdb"];
  const directory = await directoryWith(
    ...kept,
    "run_b.1.00000000.partial",
    "run_c.1.0123abcd.00000000.parquet.tmp",
    "run_d.0123abc.00000000.parquet",
    "run_e.1.0123abcd.00000000.csv",
    ".0123abcd.00000000.parquet",
    "run_f.1.0123ABCD.00000000.parquet",
  );
  await mkdir(join(directory, "folder"));
  expect(await filesOfLastStart(directory)).toEqual([
    expect.objectContaining({
      result: "shop 1-a.duckdb",
      checksum: "89abcdef",
      bytes: 2,
      path: join(directory, kept[1] ?? ""),
    }),
    expect.objectContaining({ result: "run_a.1", checksum: "0123abcd", bytes: 1 }),
  ]);
  expect((await readdir(directory)).toSorted()).toEqual(kept);
});

it("keeps one file of a result", async () => {
  const directory = await directoryWith("a.1.00000001.00000000.parquet", "a.1.00000002.00000000.parquet");
  expect(await filesOfLastStart(directory)).toHaveLength(1);
  expect(await readdir(directory)).toHaveLength(1);
});

it("writes a checksum with eight digits", async () => {
  expect(checksumText(0xab)).toBe("000000ab");
  const directory = await directoryWith("a");
  await writeFile(join(directory, "a"), "123456789");
  expect(await checksumOf(join(directory, "a"))).toBe("cbf43926"); // check value of CRC-32
});
