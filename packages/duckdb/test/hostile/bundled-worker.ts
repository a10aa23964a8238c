import { rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Returns the URL of a worker beside this module as one bundled file, whose process starts in half of the time. Attacks
 * end many processes.
 */
export async function bundledWorker(name: "ungated-worker" | "watched-worker"): Promise<URL> {
  // Below the package, where the process finds the engine.
  const bundled = new URL(`../../node_modules/.cache/hostile/${name}.js`, import.meta.url);
  const outfile = `${fileURLToPath(bundled)}.${process.pid}`;
  await build({
    entryPoints: [pathOf(`${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["@duckdb/node-bindings", "apache-arrow"],
    // Parts of the library are CommonJS modules, which load the engine itself by `require`.
    banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  // Another file of tests may use the same worker.
  await rename(outfile, fileURLToPath(bundled));
  return bundled;
}
