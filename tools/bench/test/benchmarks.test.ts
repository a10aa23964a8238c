import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

it("describes each benchmark with its bound in the README, and no others", () => {
  const [, list = ""] = /const BENCHES[^{]*\{\n([\s\S]*?)\n\};/.exec(read("src/main.ts")) ?? [];
  const known = [...list.matchAll(/^ {2}"?([\w-]+)"?:/gm)].map(([, name]) => name);
  expect(known).toContain("sizes");
  const rows = [...read("README.md").matchAll(/^\| `([\w-]+)` \| .+ \| .+ \|$/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(known.toSorted());
});
