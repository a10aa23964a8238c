import { cpSync, existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { publishedFolders, root } from "../../../repo-rules/src/tree.ts";
import { command } from "../command.ts";
import { readPackage } from "../packed-package.ts";
import type { Step } from "../step.ts";

const CHANGESET = join(root, "node_modules/@changesets/cli/bin.js");

/**
 * Builds the packages and packs them in the copy. The build does not depend on the versions, so it runs in the checkout,
 * where turbo omits what is up to date.
 */
export const pack: Step = {
  name: "build and pack",
  async run(rehearsal) {
    const { copy, folder, registry } = rehearsal;
    const filters = ["./spec", "./packages/*"].map((filter) => `--filter=${filter}`);
    await command("turbo", ["run", "build", "--output-logs=errors-only", ...filters], { cwd: root });
    for (const of of publishedFolders()) {
      const built = join(root, of, "dist");
      if (existsSync(built)) cpSync(built, join(copy, of, "dist"), { recursive: true });
    }
    const out = join(folder, "release");
    await command(process.execPath, [CHANGESET, "pack", "--out-dir", out], { cwd: copy, env: registry.environment });
    rehearsal.packages = globSync(join(out, "packages/*.tgz")).sort().map(readPackage);
    const count = publishedFolders().length;
    if (rehearsal.packages.length !== count)
      throw new Error(`changeset pack wrote ${rehearsal.packages.length} packages of ${count}`);
    return { lines: [`${count} packages`] };
  },
};
