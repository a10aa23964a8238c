import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { libraryFolder } from "../libraries.ts";
import { root, tool } from "../tree.ts";
import { sampleFile } from "./sample-file.ts";

/** Writes the console to a folder, with the mock server that answers it in the page. */
export async function buildConsole(folder: string): Promise<void> {
  cpSync(join(root, "packages/console/dist"), folder, { recursive: true });
  const sqlite = join(libraryFolder, "sql.js/dist");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(sqlite, "sql-wasm-browser.wasm"), join(folder, "sqlite.wasm"));
  writeFileSync(join(folder, "samples.json"), await sampleFile());
  await build({
    entryPoints: [join(tool, "src/try-it/mock.ts")],
    outfile: join(folder, "mock.js"),
    alias: { "sql.js": join(sqlite, "sql-wasm-browser.js") },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    // SQLite has branches for Node, which a browser does not take.
    external: ["node:*"],
    logLevel: "error",
  });
  const page = join(folder, "index.html");
  const html = readFileSync(page, "utf8");
  const first = html.indexOf("<script");
  writeFileSync(
    page,
    `${html.slice(0, first)}<script type="module" src="./mock.js"></script>\n    ${html.slice(first)}`,
  );
}
