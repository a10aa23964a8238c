import { expect, it } from "vitest";
import { architectureFile, architectureSvg } from "../src/architecture.ts";
import { packageArrows } from "../src/package-arrows.ts";
import { packageNames, read } from "../src/tree.ts";

it.each(["light", "dark"] as const)("has an up-to-date %s picture of the packages", async (scheme) => {
  const file = architectureFile(scheme);
  const svg = await architectureSvg(scheme);
  expect(read(file) === svg, `${file} is stale; write it with \`npm run architecture\``).toBe(true);
});

it("draws each package once, and omits an import that a longer path implies", async () => {
  const svg = await architectureSvg("light");
  const names = [...svg.matchAll(/font-weight="600">([^<]+)</g)].map((match) => match[1]);
  expect(names.sort()).toEqual([...packageNames(), "spec"].sort());
  const drawn = svg.match(/<path d="M[^"]*C/g)?.length ?? 0;
  expect(drawn).toBeGreaterThan(names.length);
  expect(drawn).toBeLessThan(packageArrows().length);
});
