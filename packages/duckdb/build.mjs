// Bundles the module of each process with its libraries: a process that loads one file starts in half of the time.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { build } from "esbuild";

const license = createRequire(import.meta.url).resolve("@duckdb/node-api/LICENSE");

await build({
  entryPoints: [
    "src/download/worker.ts",
    "src/executor/worker.ts",
    "src/reader/copy-worker.ts",
    "src/reader/page-worker.ts",
    "src/writer/worker.ts",
  ],
  outdir: "dist",
  outbase: "src",
  bundle: true,
  splitting: true,
  sourcemap: true,
  format: "esm",
  platform: "node",
  target: "es2023",
  external: ["@duckdb/node-bindings", "apache-arrow", "pg", "pg-copy-streams"],
  // Parts of the library are CommonJS modules, which load the engine itself by `require`.
  banner: {
    js: `/* With parts of @duckdb/node-api:\n${await readFile(license, "utf8")}*/\nimport { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);`,
  },
  logLevel: "warning",
});
