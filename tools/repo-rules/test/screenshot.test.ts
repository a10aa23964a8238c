import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../src/tree.ts";

it.each(["dashboard", "dashboard-trino"])("%s.png is 1440 pixels wide, and smaller than 300 kB", (name) => {
  const png = readFileSync(join(root, `docs/images/${name}.png`));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  // The width follows the signature and the name of the first chunk.
  expect(png.readUInt32BE(16)).toBe(1440);
  expect(png.length).toBeLessThan(300_000);
});
