import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addToSource } from "@quern/duckdb/loading";
import { expect, it } from "vitest";
import { builtInEngines, engineOfAddress } from "../../src/sources/built-in-engines.ts";

const packages = join(import.meta.dirname, "../../..");
const names = Object.keys(builtInEngines);

it("has an engine for each package that exports an adapter for one", () => {
  const engines = readdirSync(packages).filter((name) => {
    const index = join(packages, name, "src/index.ts");
    return existsSync(index) && readFileSync(index, "utf8").includes("createSourceKind");
  });
  expect(names).toEqual(engines);
});

it.each(names)("finds %s by its address, unless its tables are loaded", (name) => {
  const expected = builtInEngines[name]?.isLoaded ? undefined : name;
  expect([`${name}://host`, `${name}s://host`].map(engineOfAddress)).toEqual([expected, expected]);
  expect([`${name}x://host`, `x${name}://host`, `${name}:host`].map(engineOfAddress)).toEqual(Array(3).fill(undefined));
});

it.each(names)("names %s to a caller who misspells its address", async (name) => {
  const added = addToSource({ dataDir: "none", source: "lake" }, { from: `${name}x://host` });
  await expect(added).rejects.toThrow(`did you mean ${name}://?`);
});
