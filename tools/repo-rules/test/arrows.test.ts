import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { arrowsOfDesign } from "../src/design.ts";
import { circlesBetween, folderArrows } from "../src/folder-arrows.ts";
import { packageFiles, packageImports, packageOf } from "../src/package-arrows.ts";
import { importsOf, manifest, packageNames, root, sourceFiles } from "../src/tree.ts";

const arrows = arrowsOfDesign();

describe("the table of the packages in docs/design.md", () => {
  it("shows every package", () => {
    const shown = new Set(arrows.flatMap(({ from, to }) => [from, to]));
    expect([...shown].sort()).toEqual([...packageNames(), "spec"].sort());
  });

  it.each(packageNames())("shows each import of %s", (name) => {
    const own = arrows.filter(({ from }) => from === name);
    const missing = packageImports(name)
      .filter(({ target, lazy }) => !own.some((arrow) => arrow.to === target && (lazy || !arrow.lazy)))
      .map(({ file, target, lazy }) => `${file} ${lazy ? "loads" : "imports"} ${target}`);
    expect(missing).toEqual([]);
  });

  it.each(packageNames())("shows no import that %s does not have", (name) => {
    // A package that reads another's data by path has a dependency and no import.
    const dependencies = Object.keys(manifest(`packages/${name}`).dependencies ?? {}).map(packageOf);
    const had = new Set([...packageImports(name).map(({ target }) => target), ...dependencies]);
    const shown = arrows.filter(({ from }) => from === name).map(({ to }) => to);
    expect(shown.filter((target) => !had.has(target))).toEqual([]);
  });
});

describe("packages", () => {
  it.each(packageNames())("%s leaves its folder only by a package's name", (name) => {
    const wrong = packageFiles(name).flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(dirname(file), specifier))
        .filter((target) => !target.startsWith(`packages/${name}/`))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("examples", () => {
  it("import other packages by name, only as published", () => {
    const files = sourceFiles("examples").filter((file) => file.includes("/src/"));
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => {
          const own = posix.join(dirname(file), specifier).startsWith(file.replace(/src\/.*/, "src/"));
          return specifier.startsWith(".")
            ? !own
            : packageOf(specifier) && !/^@quern\/(adapter|client|react)$/.test(specifier);
        })
        .map(({ specifier }) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("import cycles between files and folders", () => {
  it.each([
    ...packageNames().map((name) => `packages/${name}`),
    "tools/generator",
    "tools/samples",
    "tools/bench",
    "tools/published-clients",
    "tools/site",
    "examples/dashboard",
  ])("are not in %s", (folder) => {
    expect(folderArrows(`${folder}/src`).flatMap(circlesBetween)).toEqual([]);
  });

  it("are found through other folders", () => {
    const children = new Map([
      ["runs", new Set(["results"])],
      ["results", new Set(["time", "store"])],
      ["store", new Set(["runs"])],
    ]);
    expect(circlesBetween({ folder: "src", children })).toEqual(["src: results, runs, store"]);
  });

  it("resolves each import it follows", () => {
    const lost = packageNames().flatMap((name) =>
      packageFiles(name).flatMap((file) =>
        importsOf(file)
          .filter(({ specifier }) => specifier.startsWith("."))
          .filter(({ specifier }) => !existsSync(join(root, dirname(file), specifier)))
          .map(({ specifier }) => `${file} imports ${specifier}`),
      ),
    );
    expect(lost).toEqual([]);
  });
});
