import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { read } from "../../repo-rules/src/tree.ts";
import { textOf } from "../src/fault.ts";
import { readPackage } from "../src/packed-package.ts";
import { faultsOf } from "../src/steps/package-checks.ts";

const work = mkdtempSync(join(tmpdir(), "quern-release-checks-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const manifest = {
  name: "@quern/example",
  version: "1.0.0",
  license: "Apache-2.0",
  type: "module",
  repository: { type: "git", url: "git+https://github.com/quern-dev/quern.git", directory: "packages/example" },
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
};

type Files = Readonly<Record<string, string | undefined>>;

const map = (source: string) => JSON.stringify({ version: 3, sources: [source], names: [], mappings: "" });
const good: Files = {
  "package.json": JSON.stringify(manifest),
  LICENSE: read("LICENSE"),
  "README.md": "# example\n\nMore: [guides](https://github.com/quern-dev/quern/tree/main/docs).\n",
  "src/index.ts": "export const answer = 42;\n",
  "dist/index.js": "export const answer = 42;\n//# sourceMappingURL=index.js.map\n",
  "dist/index.js.map": map("../src/index.ts"),
  "dist/index.d.ts": "export declare const answer = 42;\n//# sourceMappingURL=index.d.ts.map\n",
  "dist/index.d.ts.map": map("../src/index.ts"),
};

/** Packs the files, and returns the faults of the package. */
async function faults(files: Files): Promise<string[]> {
  const folder = mkdtempSync(join(work, "package-"));
  for (const [file, text] of Object.entries(files)) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(folder, "package", file)), { recursive: true });
    writeFileSync(join(folder, "package", file), text);
  }
  execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: folder });
  return (await faultsOf(readPackage(join(folder, "package.tgz")))).map(textOf);
}

it("finds no fault in a good package", async () => {
  expect(await faults(good)).toEqual([]);
});

const exportOf = (path: string) => JSON.stringify({ ...manifest, exports: { ".": path } });
const dependsOn = (range: string) => JSON.stringify({ ...manifest, dependencies: { "@quern/client": range } });
const bundle = map("../../../node_modules/.pnpm/lz4js@0.2.0/node_modules/lz4js/lz4.js");
const cases: readonly (readonly [string, Files, readonly RegExp[]])[] = [
  [
    "a broken export",
    { "package.json": exportOf("./dist/main.js") },
    [
      /package\.json: publint FILE_DOES_NOT_EXIST at .*; .*dist\/main\.js/,
      /entry point \.: attw NoResolution; let `types`/,
    ],
  ],
  [
    "an export without types",
    {
      "package.json": exportOf("./dist/main.js"),
      "dist/main.js": "export const answer = 42;\n//# sourceMappingURL=main.js.map\n",
      "dist/main.js.map": good["dist/index.js.map"],
    },
    [/entry point \.: attw UntypedResolution; let `types`/],
  ],
  ["a missing licence", { LICENSE: undefined }, [/LICENSE: is missing; pack with pnpm in the workspace/]],
  ["another licence", { LICENSE: "MIT\n" }, [/LICENSE: differs from LICENSE of the repository; remove the copy/]],
  [
    "bundled code without its licence",
    { "dist/index.js.map": JSON.stringify({ ...JSON.parse(bundle), sourcesContent: ["…"] }) },
    [/dist\/licenses\.md: lacks the licence of lz4js@0\.2\.0; write it/],
  ],
  ["a test file", { "src/index.test.ts": "" }, [/src\/index\.test\.ts: belongs to the tests; leave it out of `files`/]],
  [
    "a relative link in the README",
    { "README.md": "See [docs](../docs/README.md)." },
    [/README\.md: has the relative link \.\.\/docs\/README\.md; write an absolute address/],
  ],
  [
    "a version that no registry has",
    { "package.json": dependsOn("workspace:*") },
    [/package\.json: depends on @quern\/client@workspace:\*, which no registry has; pack/],
  ],
  [
    "a source that is not in the package",
    { "src/index.ts": undefined },
    [
      /dist\/index\.js\.map: names the source src\/index\.ts, which the package lacks/,
      /dist\/index\.d\.ts\.map: names/,
    ],
  ],
];

it.each(cases)("finds %s", async (_, files, expected) => {
  const found = await faults({ ...good, ...files });
  expect(found.length, found.join("\n")).toBe(expected.length);
  for (const [index, pattern] of expected.entries()) {
    expect(found[index]).toMatch(pattern);
    expect(found[index]).toMatch(/^@quern\/example, /);
  }
});
