import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { expect, it } from "vitest";

async function bundle(exports: string, plugins: Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${exports} from "./index.ts"`,
      resolveDir: fileURLToPath(new URL("../src", import.meta.url)),
    },
    external: ["react", "@tanstack/react-query", "@quern/client"],
    plugins,
    logLevel: "error",
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  return outputFiles[0]?.text ?? "";
}

it("stays within its size limit, and one hook does not import the others", async () => {
  const everything = await bundle("*");
  expect(gzipSync(everything, { level: 9 }).length).toBeLessThanOrEqual(4_224);
  for (const name of ["node:", "require(", "openrpc", "draft-07"]) expect(everything).not.toContain(name);
  const oneHook = await bundle("{ useQueryResults }");
  for (const name of ["getSqlStatement", "useInfiniteQuery", "readPage", "pagehide"]) {
    expect(everything).toContain(name);
    expect(oneHook).not.toContain(name);
  }
});

/** Replaces modules with "use client" by empty ones, as a server component does. */
const references: Plugin = {
  name: "references",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/react\/src\/.*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8");
      return contents.startsWith('"use client"') ? { contents: "module.exports = {}", loader: "js" } : undefined;
    }),
};

it("gives a server component the factories, without hooks and contexts", async () => {
  const imports = (await bundle("*", [references])).match(/import\{.*?\}from".*?"/g)?.join() ?? "";
  expect(imports).toContain("getSqlStatement");
  expect(imports).not.toMatch(/"react"|\buse[A-Z]/);
});
