import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../src/tree.ts";

it("shows the dashboard 1440 pixels wide, in less than 300 kB", () => {
  const png = readFileSync(join(root, "docs/images/dashboard.png"));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  // The width follows the signature and the name of the first chunk.
  expect(png.readUInt32BE(16)).toBe(1440);
  expect(png.length).toBeLessThan(300_000);
});
