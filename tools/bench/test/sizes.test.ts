import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { measuredTable } from "../src/sizes.ts";

const README = fileURLToPath(new URL("../../../README.md", import.meta.url));
const SIZE = /([\d.]+) kB/g;

it("has a table of the packages in the root README, with sizes within 5 % of the measured ones", async () => {
  const shown = readFileSync(README, "utf8").match(/<!-- sizes -->\n([\s\S]*?)<!-- \/sizes -->/)?.[1] ?? "";
  const measured = await measuredTable();
  const hint = "the table is stale; write it with `npm run bench -- sizes --write`";
  expect(shown.replace(SIZE, "kB"), hint).toBe(measured.replace(SIZE, "kB"));

  const sizes = (table: string) => [...table.matchAll(SIZE)].map(([, size]) => Number(size));
  const stale = sizes(shown).filter((size, index) => Math.abs(size / (sizes(measured)[index] ?? 0) - 1) > 0.05);
  expect(stale, hint).toEqual([]);
  expect(sizes(measured)).toHaveLength(5);
});
