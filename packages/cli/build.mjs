// Bundles the commands, each in a file that is loaded when it runs.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

/** The maps of this library lead to sources that its bundle does not bring, so the map of the bundle holds its JavaScript. */
const withoutMaps = {
  name: "without-maps",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](apache-arrow|flatbuffers)[\\/].*\.m?js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/^\/\/# sourceMappingURL=.*$/gm, ""),
    }));
  },
};

await build({
  entryPoints: ["src/main.ts"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  sourcemap: true,
  format: "esm",
  platform: "node",
  conditions: ["node"],
  target: "es2023",
  external: [
    "@stricli/core",
    "@quern/server",
    "@quern/server/*",
    "@quern/mock-server",
    "@quern/mock-server/*",
    "@quern/conformance",
    "@quern/mcp",
  ],
  logLevel: "warning",
  plugins: [withoutMaps],
});
