import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { loadAdapter } from "../../src/adapters/adapter-package.ts";
import { temporaryDirectory } from "../fixture.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  });
});

/** Installs a package in the current folder. */
async function install(name: string, exported: object, text: string): Promise<void> {
  const directory = join(folder, "node_modules", name);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), JSON.stringify({ name, type: "module", exports: exported }));
  await writeFile(join(directory, "index.js"), text);
}

const load = (name: string) => loadAdapter<{ create(): string }>("the setting store", name, "create");

it("loads a package of the current folder", async () => {
  await install("an-adapter", { ".": { default: "./index.js" } }, 'export const create = () => "made";');
  expect((await load("an-adapter")).create()).toBe("made");
});

it("refuses a package without an entry point, and one whose export is no function", async () => {
  await install("no-entry", { "./other": "./index.js" }, "");
  await expect(load("no-entry")).rejects.toThrow(
    'Package without an entry point: no-entry; its package.json must export "." under the condition default.',
  );
  await install("no-function", { ".": "./index.js" }, "export const create = 7;");
  await expect(load("no-function")).rejects.toThrow(
    "Package of another version: no-function has no create; install the version of this server.",
  );
});
