import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const manifest = { name: "@quern/console", version: "0.0.0", exports: { "./package.json": "./package.json" } };
export const page = "<!doctype html><title>Page of a test</title>";
const files = {
  "package.json": JSON.stringify(manifest),
  "dist/index.html": page,
  "dist/assets/index-B_9x-aZ0.js": "start();",
};

/**
 * Calls `work` in a current folder that has a package `@quern/console`, which comes before that of the repository.
 * @param without file that the package lacks
 */
export async function inConsoleFolder<T>(work: () => Promise<T>, without?: keyof typeof files): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "quern-console-"));
  const before = process.cwd();
  try {
    for (const [name, content] of Object.entries(files)) {
      if (name === without) continue;
      const path = join(folder, "node_modules/@quern/console", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    process.chdir(folder);
    return await work();
  } finally {
    process.chdir(before);
    await rm(folder, { recursive: true });
  }
}
