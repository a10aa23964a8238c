import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource, checkSources, loadSource, removeFromSource } from "../../src/loading.ts";

it("a source whose file is missing can be removed and added again, and a load says so", async () => {
  const directory = await temporaryDirectory();
  const place = { dataDir: directory, source: "shop" };
  const file = join(directory, "prices.csv");
  await writeFile(file, "price\n1\n");
  await addToSource(place, { from: file });
  const folder = join(directory, "sources/shop");
  for (const name of await readdir(folder)) if (name.endsWith(".duckdb")) await rm(join(folder, name));
  await expect(loadSource(place)).rejects.toMatchObject({
    name: "SourceError",
    message: expect.stringMatching(/^Missing file of the source: .*\.duckdb; .*`quern sources remove shop`/),
  });
  await removeFromSource(place);
  await addToSource(place, { from: file });
  expect(await checkSources(directory)).toMatchObject([{ table: "shop.main.prices", rows: 1, ok: true }]);
  await rm(directory, { recursive: true });
});
