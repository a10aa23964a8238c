import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../fixture.ts";

let lastId = 0;

/**
 * Installs packages with functions of the test in a folder, which is the current one until the end of the test.
 * @param packages functions of each package by its name
 * @returns the folder
 */
export async function installPackages(
  packages: Readonly<Record<string, Readonly<Record<string, (...given: never[]) => unknown>>>>,
): Promise<string> {
  const folder = await temporaryDirectory();
  for (const [name, functions] of Object.entries(packages)) {
    const directory = join(folder, "node_modules", name);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
    lastId += 1;
    const key = `packageOfTest${lastId}`;
    Object.assign(globalThis, { [key]: functions });
    onTestFinished(() => void Reflect.deleteProperty(globalThis, key));
    const lines = Object.keys(functions).map((each) => `export const ${each} = ${key}.${each};`);
    await writeFile(join(directory, "index.js"), lines.join("\n"));
  }
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
  onTestFinished(async () => {
    cwd.mockRestore();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}
