import { existsSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { describe, expect, it } from "vitest";
import { packageNames, read, root } from "../src/tree.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifest = (folder: string): Manifest => JSON.parse(read(`${folder}/package.json`));
const folders = ["spec", ...packageNames().map((name) => `packages/${name}`)];
const NO_DEPENDENCY_OUTSIDE = ["json-rpc", "protocol", "query-run", "client", "react", "mock-server"];

describe("packages", () => {
  it.each(folders)("%s says what it is", (folder) => {
    const { name, version, license, type, description, files } = manifest(folder);
    const own = folder === "packages/quern" ? "quern" : `@quern/${folder.replace(/^packages\//, "")}`;
    expect({ name, version, license, type }).toEqual({
      name: own,
      version: manifest("spec").version,
      license: "Apache-2.0",
      type: "module",
    });
    expect(description?.length).toBeGreaterThan(30);
    expect(files?.length).toBeGreaterThan(0);
  });

  it.each(folders)("%s has a README of one screen with an install line and a link to the docs", (folder) => {
    const text = read(`${folder}/README.md`);
    expect(text.split("\n").length).toBeLessThanOrEqual(70);
    expect(text).toMatch(/npm install|npx/);
    expect(text).toMatch(/docs\//);
  });

  it.each(NO_DEPENDENCY_OUTSIDE)("%s depends on nothing outside @quern", (name) => {
    const outside = Object.keys(manifest(`packages/${name}`).dependencies ?? {}).filter(
      (key) => !key.startsWith("@quern/"),
    );
    expect(outside).toEqual([]);
  });

  it.each(folders)("%s is well formed for publishing", async (folder) => {
    expect(folder === "spec" || existsSync(join(root, folder, "src")) || existsSync(join(root, folder, "bin"))).toBe(
      true,
    );
    const { messages } = await publint({ pkgDir: join(root, folder), strict: true, pack: false });
    expect(messages.filter(({ type }) => type !== "suggestion")).toEqual([]);
  });
});
