import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import type { Snippet } from "./snippets.ts";

/** Compiles components of Vue and Svelte, and modules with runes, with the compilers that a folder finds. */
function compilers(folder: string): Plugin {
  const require = createRequire(join(folder, "package.json"));
  const svelte = (): typeof import("svelte/compiler") => require("svelte/compiler");
  const vue = (): typeof import("vue/compiler-sfc") => require("vue/compiler-sfc");
  const text = (path: string) => readFileSync(path, "utf8");
  return {
    name: "components",
    setup({ onLoad }) {
      onLoad({ filter: /\.vue$/ }, ({ path: filename }) => {
        const { parse, compileScript } = vue();
        const { descriptor } = parse(text(filename), { filename });
        return { contents: compileScript(descriptor, { id: filename, inlineTemplate: true }).content, loader: "ts" };
      });
      onLoad({ filter: /\.svelte$/ }, ({ path: filename }) => ({
        contents: svelte().compile(text(filename), { filename, generate: "client", css: "injected" }).js.code,
      }));
      onLoad({ filter: /\.svelte\.js$/ }, ({ path: filename }) => ({
        contents: svelte().compileModule(text(filename), { filename, generate: "client" }).js.code,
      }));
    },
  };
}

/** Constants that bundlers define for Vue. */
const vueFlags = {
  __VUE_OPTIONS_API__: "true",
  __VUE_PROD_DEVTOOLS__: "false",
  __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
};

/** Writes components into a folder. The comment `<!-- Cars.vue -->` names the file of one that is not `App`. */
export function writeComponents(folder: string, snippets: readonly Snippet[]): void {
  for (const { code, language } of snippets)
    writeFileSync(join(folder, code.match(/^<!-- (\S+) -->$/m)?.[1] ?? `App.${language}`), code);
}

/** Bundles a program for a page, as a bundler of an app does, with the packages that a folder finds. Returns the path of the bundle. */
export async function bundlePage(
  folder: string,
  program: string,
  options: Pick<BuildOptions, "define" | "external"> = {},
): Promise<string> {
  const outfile = join(folder, "page.mjs");
  await build({
    stdin: { contents: program, resolveDir: folder, loader: "ts" },
    outfile,
    conditions: ["svelte", "browser"],
    plugins: [compilers(folder)],
    bundle: true,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    logLevel: "error",
    ...options,
    define: { ...vueFlags, ...options.define },
  });
  return outfile;
}
