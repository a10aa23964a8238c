import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UploadFiles } from "@quern/adapter";
import { expect } from "vitest";
import { temporaryDirectory } from "../fixture.ts";

/** Checks what a service needs of a store of uploaded files: one writer for each id, copies, and the sweep. */
export async function expectUploadFiles(files: UploadFiles): Promise<void> {
  const folder = await temporaryDirectory();
  let created = 0;
  const write = async (bytes: string | Buffer): Promise<string> => {
    const path = join(folder, `file-${++created}`);
    await writeFile(path, bytes);
    return path;
  };
  const read = async (id: string): Promise<Buffer | undefined> => {
    const path = join(folder, `copy-${++created}`);
    if (await files.fetch(id, path)) return readFile(path);
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
    return undefined;
  };
  // The last one has several parts in an object storage.
  for (const [id, bytes] of [
    ["empty", Buffer.alloc(0)],
    ["small", Buffer.from("n\n1\n")],
    ["large", Buffer.alloc(12_000_000, "n\n1\n")],
  ] as const) {
    const path = await write(bytes);
    expect(await files.add(id, path)).toBe(true);
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
    expect((await read(id))?.equals(bytes)).toBe(true);
  }
  const late = await write("another");
  expect(await files.add("small", late)).toBe(false);
  expect(await readFile(late, "utf8")).toBe("another");
  const racing = await Promise.all(["a", "b", "c"].map(async (text) => files.add("raced", await write(text))));
  expect(racing.filter(Boolean)).toHaveLength(1);
  expect(String(await read("raced"))).toBe("abc"[racing.indexOf(true)]);
  expect(await read("unknown")).toBeUndefined();
  await files.remove("unknown");
  await files.remove("empty");
  await files.sweep(async (id) => id === "small");
  expect(await Promise.all(["empty", "small", "large", "raced"].map(async (id) => String(await read(id))))).toEqual([
    "undefined",
    "n\n1\n",
    "undefined",
    "undefined",
  ]);
}
