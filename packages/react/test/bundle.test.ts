import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

async function bundle(exports: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${exports} from "./index.ts"`,
      resolveDir: fileURLToPath(new URL("../src", import.meta.url)),
    },
    external: ["react", "@tanstack/react-query", "@quern/client"],
    ...{ bundle: true, minify: true, write: false, format: "esm", platform: "browser" },
  });
  return outputFiles[0]?.text ?? "";
}

it("is small in a browser, and a part of it has nothing of the rest", async () => {
  const everything = await bundle("*");
  expect(gzipSync(everything, { level: 9 }).length).toBeLessThan(3_000);
  for (const name of ["node:", "require(", "openrpc", "draft-07"]) expect(everything).not.toContain(name);
  const oneHook = await bundle("{ useQueryResults }");
  for (const name of ["getSqlStatement", "useInfiniteQuery", "readPage", "pagehide"]) {
    expect(everything).toContain(name);
    expect(oneHook).not.toContain(name);
  }
});
