import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { packageNames, root } from "../src/tree.ts";

const folders = ["spec", ...packageNames().map((name) => `packages/${name}`)];
const copy = mkdtempSync(join(tmpdir(), "quern-versions-"));
afterEach(() => rmSync(copy, { recursive: true, force: true }));

const versionIn = (folder: string): string =>
  JSON.parse(readFileSync(join(copy, folder, "package.json"), "utf8")).version;

describe("versions", () => {
  it("move together with one changeset for one package", () => {
    mkdirSync(join(copy, ".changeset"));
    cpSync(join(root, ".changeset/config.json"), join(copy, ".changeset/config.json"));
    for (const file of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml"])
      cpSync(join(root, file), join(copy, file));
    for (const folder of folders) {
      mkdirSync(join(copy, folder), { recursive: true });
      cpSync(join(root, folder, "package.json"), join(copy, folder, "package.json"));
    }
    const before = versionIn("spec");
    writeFileSync(
      join(copy, ".changeset/one.md"),
      '---\n"@quern/client": minor\n---\n\nA change of the client alone.\n',
    );
    const run = spawnSync(join(root, "node_modules/.bin/changeset"), ["version"], { cwd: copy, encoding: "utf8" });

    expect(run.stderr + run.stdout).not.toMatch(/error/i);
    expect(versionIn("packages/client")).not.toBe(before);
    expect(new Set(folders.map(versionIn)).size).toBe(1);
  });
});
