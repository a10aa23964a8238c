import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

async function bundle(exports: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${exports} from "./index.js"`,
      resolveDir: fileURLToPath(new URL("../dist", import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  return outputFiles[0]?.text ?? "";
}

const gzipBytes = (text: string) => gzipSync(text, { level: 9 }).length;

describe("a browser bundle", () => {
  it("contains no code of Node, no validators and no document", async () => {
    const everything = await bundle("*");
    for (const name of ["node:", "require(", "draft-07", "additionalProperties", "openrpc", "x-poll"]) {
      expect(everything).not.toContain(name);
    }
    expect(everything).not.toMatch(/\bBuffer\b/);
  });

  it("contains only the exports that are imported", async () => {
    const oneMethod = await bundle("{ createClient, getQueryRun }");
    for (const name of [
      "getSqlStatement",
      "TemporalError",
      "idempotencyKey",
      "__proto__",
      "toISOString",
      "startSpan",
    ]) {
      expect(oneMethod).not.toContain(name);
    }
    const queries = await bundle("{ createClient, query }");
    for (const name of ["startSpan", "__proto__", "~standard"]) expect(queries).not.toContain(name);
  });

  it("contains `list` only if it is imported", async () => {
    expect(await bundle("{ list }")).toContain("WHERE FALSE");
    expect(await bundle("{ sql, sqlText }")).not.toContain("WHERE FALSE");
    expect(await bundle("{ createClient, query, rowsOf }")).not.toContain("TIMESTAMP");
  });

  it("stays within the size limit of each layer", async () => {
    expect(gzipBytes(await bundle("{ getQueryRun, QuernError, isErrorOf }"))).toBeLessThan(595);
    expect(gzipBytes(await bundle("{ query }"))).toBeLessThanOrEqual(4_650);
    expect(gzipBytes(await bundle("{ createClient, getQueryRun }"))).toBeLessThanOrEqual(4_650);
    expect(gzipBytes(await bundle("{ createClient, query, rowsOf }"))).toBeLessThanOrEqual(9_700);
  });
});
