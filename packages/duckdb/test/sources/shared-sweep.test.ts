import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addToSource, loadSource, removeFromSource } from "../../src/loading.ts";
import { createBuckets } from "./buckets.ts";
import { openLocalFiles, storedNames } from "./local-files.ts";

const { newBucket, newFolder, numbersOf, placeIn, serverOf, writeNumbers } = createBuckets();

describe("the sweep of a shared storage", () => {
  it("removes earlier versions and interrupted loads, keeps present files and loads in progress", async () => {
    const bucket = newBucket();
    const place = placeIn(bucket);
    await addToSource(place, { from: await writeNumbers(1) });
    await loadSource(place);
    const present = (await storedNames(bucket)).find((name) => name.startsWith("data/2-")) ?? "";
    const local = await writeNumbers(1);
    const left = [
      "data/2-0a0a0a0a.duckdb",
      "data/3-0a0a0a0a.duckdb",
      "data/3-0b0b0b0b.duckdb",
      "new/1-0a0a0a0a.duckdb",
    ];
    for (const name of left) await place.files.add(name, local);
    const earlier = Date.now() / 1_000 - 11 * 60;
    for (const name of await storedNames(bucket)) await utimes(join(bucket.directory, name), earlier, earlier);
    const yesterday = Date.now() / 1_000 - 25 * 3_600;
    await utimes(join(bucket.directory, "data/3-0b0b0b0b.duckdb"), yesterday, yesterday);
    await (await serverOf(bucket)).sweep();
    expect(await storedNames(bucket)).toEqual([present, "data/3-0a0a0a0a.duckdb", "new/1-0a0a0a0a.duckdb"].sort());
    await utimes(join(bucket.directory, present), yesterday, yesterday);
    bucket.index = undefined; // lost
    await (await serverOf(bucket)).sweep();
    expect(await storedNames(bucket)).toHaveLength(3);
  });

  it("keeps the file of a source that is removed and added again while it removes files", async () => {
    const bucket = newBucket();
    const place = placeIn(bucket);
    const from = await writeNumbers(1);
    await addToSource(place, { from });
    await loadSource(place); // the version of the new source has a lower number
    const local = openLocalFiles(bucket, newFolder());
    const server = await serverOf(bucket, 600_000, {
      async sweep(isNeeded) {
        await removeFromSource(place);
        await addToSource(place, { from });
        await local.sweep(isNeeded);
      },
    });
    await server.sweep();
    expect(await numbersOf(server)).toEqual([1]);
  });
});
