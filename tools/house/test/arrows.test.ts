import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, packageNames, root, sourceFiles } from "../src/tree.ts";

/** Who may import whom. `later` is loaded by `import()` only, where a user asked for it. */
const ARROWS: Record<string, { readonly now: readonly string[]; readonly later?: readonly string[] }> = {
  "json-rpc": { now: [] },
  protocol: { now: ["json-rpc"] },
  "query-run": { now: ["protocol"] },
  client: { now: ["protocol", "json-rpc"] },
  react: { now: ["client"] },
  cli: { now: ["client"], later: ["server", "mock-server", "conformance"] },
  quern: { now: ["cli"] },
  "mock-server": { now: ["query-run", "protocol", "json-rpc", "spec"] },
  adapter: { now: ["query-run"] },
  duckdb: { now: ["adapter", "query-run"] },
  server: { now: ["adapter", "duckdb", "query-run", "protocol", "json-rpc", "spec"] },
  conformance: { now: ["spec"] },
};

const room = (specifier: string): string | undefined => specifier.match(/^@quern\/([^/]+)/)?.[1];

/** Every source file of a package, the generated ones too: an arrow is an arrow whoever draws it. */
function packageFiles(name: string): string[] {
  return [`${name}/src`, `${name}/src/generated`, `${name}/bin`].flatMap((folder) => sourceFiles(`packages/${folder}`));
}

describe("arrows between packages", () => {
  it("knows every package", () => {
    expect(packageNames().sort()).toEqual(Object.keys(ARROWS).sort());
  });

  it.each(packageNames())("%s imports only what lies below it", (name) => {
    const allowed = ARROWS[name] ?? { now: [] };
    const wrong = packageFiles(name).flatMap((file) =>
      importsOf(file)
        .map(({ specifier, lazy }) => ({ target: room(specifier), specifier, lazy }))
        .filter(({ target }) => target !== undefined && target !== name)
        .filter(({ target = "", lazy }) => !allowed.now.includes(target) && !(lazy && allowed.later?.includes(target)))
        .map(({ specifier }) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

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
  it("use what packages publish, by name", () => {
    const files = sourceFiles("examples").filter((file) => file.includes("/src/"));
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => {
          const own = posix.join(dirname(file), specifier).startsWith(file.replace(/src\/.*/, "src/"));
          return specifier.startsWith(".") ? !own : room(specifier) && !/^@quern\/(client|react)$/.test(specifier);
        })
        .map(({ specifier }) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("circles", () => {
  it.each([
    ...packageNames().map((name) => `packages/${name}`),
    "tools/generator",
    "tools/samples",
    "tools/bench",
    "examples/dashboard",
  ])("%s has none", (folder) => {
    const files = [...sourceFiles(`${folder}/src`), ...sourceFiles(`${folder}/src/generated`)];
    const edges = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter(({ specifier }) => specifier.startsWith("."))
          .map(({ specifier }) => posix.join(dirname(file), specifier)),
      ]),
    );
    expect(firstCircle(edges)).toEqual([]);
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

function firstCircle(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    done.add(file);
    for (const next of edges.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  for (const file of edges.keys()) {
    const circle = visit(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}
