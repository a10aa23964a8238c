// Bundles the module of each process with its libraries: a process that loads one file starts in half of the time.
import { build } from "esbuild";
import { writeBundledLicences } from "../../tools/bootstrap/bundled-licences.mjs";

const { metafile } = await build({
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
    js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
  metafile: true,
});
writeBundledLicences(Object.keys(metafile.inputs), "dist/licenses.md");
