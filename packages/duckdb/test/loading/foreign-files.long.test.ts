import { readFile } from "node:fs/promises";
import { it } from "vitest";
import { expectSameRows, files } from "./foreign-files.ts";
import { useLoader } from "./loaded-files.ts";

const { loaded } = useLoader();

it.each(files)("%s, made by %s, has the values that were written", async (file, _, options) => {
  const content = await readFile(new URL(`foreign-files/${file}`, import.meta.url));
  await expectSameRows(file, await loaded({ [file]: content }, options));
});
