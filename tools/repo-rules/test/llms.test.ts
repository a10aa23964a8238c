import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { llmsText } from "../src/llms.ts";
import { publishedNames, root } from "../src/tree.ts";

const text = llmsText();

it("llms.txt is up to date with the tables of pages in the documents; run this test with -u to write it", async () => {
  await expect(text).toMatchFileSnapshot(join(root, "llms.txt"));
});

it("llms.txt has a title, a summary, and sections of described links, as llmstxt.org asks", () => {
  const [head = "", ...sections] = text.split(/^## /m);
  expect(head).toMatch(/^# Quern\n\n> Quern is [^\n]+\.\n\n(?![#>])/);
  for (const section of sections) expect(section).toMatch(/^.+\n\n(- \[[^\]]+\]\([^)]+\): .+\n)+\n?$/);
});

it("llms.txt links to each document and published package once, and to nothing else", () => {
  const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
  const packages = publishedNames().map((name) => `packages/${name}/README.md`);
  const links = [...text.matchAll(/^- \[.*\]\((.*)\): /gm)].map((match) => match[1] ?? "");
  const others = new Set(["docs/README.md", "packages/quern/README.md"]);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  expect(new Set(links).size).toBe(links.length);
  expect([...documents, ...packages].filter((file) => !links.includes(file) && !others.has(file))).toEqual([]);
});
