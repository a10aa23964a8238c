import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { optionalPackage } from "../src/optional-package.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-optional-"));
  for (const [name, text] of Object.entries({
    whole: "export const word = 'here';",
    broken: "import 'nowhere';",
    newer: "import 'node:future';",
  })) {
    const home = join(folder, "node_modules", name);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
    await writeFile(join(home, "index.js"), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("comes from beside the CLI", async () => {
  expect(await optionalPackage("query", "@quern/client", folder)).toHaveProperty("createClient");
});

it("comes from the folder in which the command was typed", async () => {
  expect(await optionalPackage("serve", "whole", folder)).toMatchObject({ word: "here" });
});

it("that is nowhere is named with its install line", async () => {
  await expect(optionalPackage("serve", "@quern/absent", folder)).rejects.toThrow(
    "missing package of `quern serve`: @quern/absent; install it: npm install @quern/absent",
  );
});

it("that needs a newer Node names the supported versions", async () => {
  await expect(optionalPackage("serve", "newer", folder)).rejects.toThrow(
    `unsupported Node version: ${process.version}; \`quern serve\` needs ^`,
  );
});

it("that cannot be loaded differs from a missing one", async () => {
  await expect(optionalPackage("serve", "broken", folder)).rejects.toThrow("nowhere");
});
