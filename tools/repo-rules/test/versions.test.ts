import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Clone, cloneCheckout } from "../src/clone.ts";
import { run } from "../src/packed.ts";
import { type Manifest, manifest, publishedFolders, read, root } from "../src/tree.ts";

const folders = publishedFolders();
let clone: Clone;
beforeAll(() => {
  clone = cloneCheckout();
  return () => clone[Symbol.dispose]();
});

/** Runs the command of Changesets in the clone, and returns its output without terminal colours. */
function changeset(...args: string[]): string {
  const command = join(root, "node_modules/@changesets/cli/bin.js");
  const { status, stdout, stderr } = run(process.execPath, [command, ...args], clone.folder, { NO_COLOR: "1" });
  expect(status, stderr + stdout).toBe(0);
  return stdout + stderr;
}

const inClone = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(clone.folder, folder, "package.json"), "utf8"));

describe("versions", () => {
  it("are fixed to one for exactly the packages that are published", () => {
    const { fixed } = JSON.parse(read(".changeset/config.json"));
    expect(fixed).toEqual([folders.map((folder) => manifest(folder).name).sort()]);
  });

  it("move together with one changeset for one package, in a clone of the repository", () => {
    const before = inClone("spec").version;
    const changesets = join(clone.folder, ".changeset");
    for (const name of readdirSync(changesets)) if (name.endsWith(".md")) rmSync(join(changesets, name));
    writeFileSync(join(changesets, "one.md"), '---\n"@quern/client": minor\n---\n\nA change of the client alone.\n');
    const plan = changeset("status");
    for (const folder of folders) expect(plan).toContain(manifest(folder).name);

    changeset("version");
    expect(inClone("packages/client").version).not.toBe(before);
    expect(new Set(folders.map((folder) => inClone(folder).version)).size).toBe(1);
    expect(readFileSync(join(clone.folder, "packages/client/CHANGELOG.md"), "utf8")).toContain(
      "A change of the client alone.",
    );
  });
});
