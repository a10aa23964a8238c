import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sourceFilesContract } from "@quern/adapter/contract";
import { afterEach, describe, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createLocalBucket, openLocalFiles, storedNames } from "./local-files.ts";

describe("the stand-in for a bucket of data sources", () => {
  let work: string;
  afterEach(() => rm(work, { recursive: true, force: true }));

  it.each(sourceFilesContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    work = await temporaryDirectory();
    const bucket = createLocalBucket(join(work, "bucket"));
    let written = 0;
    await run({
      files: openLocalFiles(bucket, join(work, "copies")),
      another: openLocalFiles(bucket, join(work, "other-copies")),
      async write(text) {
        const path = join(work, `written-${++written}`);
        await writeFile(path, text);
        return path;
      },
      read: (path) => readFile(path, "utf8"),
      damage: async (name) => writeFile(join(bucket.directory, name), "rowz"),
      // A file that was not completed looks like another one here.
      addIncomplete: (name) => writeFile(join(bucket.directory, name), "ro"),
      storedFiles: () => storedNames(bucket),
      fetches: (name) => bucket.fetches.filter((each) => each === name).length,
    });
  });
});
