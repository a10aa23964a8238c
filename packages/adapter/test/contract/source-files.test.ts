import { expect, it } from "vitest";
import { sourceFilesContract } from "../../src/contract/source-files.ts";
import { delayed } from "./delayed.ts";
import { type FilesFault, memoryFiles } from "./memory-files.ts";

/** Returns the numbers of the cases that fail, from 1. */
async function failures(fault?: FilesFault): Promise<number[]> {
  const failed: number[] = [];
  for (const [index, { run }] of sourceFilesContract.entries())
    await run(memoryFiles(fault)).catch(() => failed.push(index + 1));
  return failed;
}

it("accepts an implementation without a fault", async () => expect(await failures()).toEqual([]));

it.each(sourceFilesContract)("accepts one whose changes take a while, which it awaits: $name", async ({ run }) => {
  const context = memoryFiles();
  const [files, another] = [context.files, context.another].map((server) =>
    delayed(server, ["replaceIndex", "add", "sweep", "sweepCopies"]),
  );
  if (files === undefined || another === undefined) throw new Error("there are two servers");
  await run(delayed({ ...context, files, another }, ["damage", "addIncomplete"]));
});

it.each<[FilesFault, number[]]>([
  ["index is always replaced", [1, 3]],
  ["index keeps its version", [1, 2, 3]],
  ["known index is copied", [2]],
  ["known index is never renewed", [2]],
  ["each call fetches", [4]],
  ["each use fetches", [4]],
  ["file is replaced", [5]],
  ["missing file is opened", [6]],
  ["size is not checked", [6]],
  ["checksum is not checked", [6]],
  ["sweep of copies removes copies in use", [7]],
  ["second release counts", [7]],
  ["copy stays after its last release", [7]],
  ["sweep keeps files", [8]],
  ["sweep keeps incomplete files", [8]],
  ["sweep asks for complete files only", [8]],
  ["sweep passes no time", [8]],
  ["sweep removes the index", [8]],
])("refuses one whose fault is: %s", async (fault, cases) => expect(await failures(fault)).toEqual(cases));
