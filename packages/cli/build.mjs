// Bundles the commands. `main.js` has all that a query needs, since Node takes about a millisecond for each further file; the
// other commands are loaded when they run. Writes the manual page from the commands, too.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { build } from "rolldown";
import { writeBundledLicences } from "../../tools/bootstrap/bundled-licences.mjs";
import { createApplication } from "./src/application.ts";
import { manPage } from "./src/manual/man-page.ts";

/**
 * Loads a module of Node at the first call of its functions. An import would evaluate all exports of the module, and load
 * streams, readline and `fetch` with them.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  transform: {
    filter: { code: /from "node:/ },
    handler: (code) => ({
      code: code.replaceAll(/^import \{([^}]*)\} from "(node:[^"]+)";$/gm, lazyImport),
      map: null,
    }),
  },
};

/** Returns the declarations of the values that an import names. Types are left out. */
function lazyImport(_, list, module) {
  const names = list.split(",").map((name) => name.trim());
  const values = names.filter((name) => name !== "" && !name.startsWith("type "));
  return values.map((name) => lazyValue(module, ...name.split(" as "))).join(" ");
}

function lazyValue(module, name, local = name) {
  const value = process.getBuiltinModule(module)[name];
  const load = `process.getBuiltinModule("${module}").${name}`;
  // Classes, and functions with properties that callers use, are loaded at once.
  const isPlain = typeof value === "function" && /^[a-z]/.test(name) && value[promisify.custom] === undefined;
  return isPlain ? `const ${local} = (...input) => ${load}(...input);` : `const ${local} = ${load};`;
}

/** Escapes characters outside ASCII: one of them would double the memory of a file, and the time to read it. */
const asciiOnly = {
  name: "ascii-only",
  generateBundle(_, files) {
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped);
  },
};

const { output } = await build({
  input: "src/main.ts",
  platform: "node",
  transform: { target: "es2023" },
  resolve: { conditionNames: ["node", "import"] },
  external: [/^node:/, "string-width", "@napi-rs/keyring", /^@quern\/(server|mock-server|conformance|mcp)(\/|$)/],
  preserveEntrySignatures: "allow-extension",
  plugins: [lazyBuiltins, asciiOnly],
  output: {
    dir: "dist",
    format: "esm",
    sourcemap: true,
    comments: false,
    minify: { compress: true, mangle: false, codegen: false },
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups: [{ name: "main", test: /[\\/]cli[\\/]src[\\/]main\.ts$/ }] },
  },
  logLevel: "warn",
});
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
writeBundledLicences(modules, "dist/licenses.md");

const { version } = JSON.parse(await readFile("package.json", "utf8"));
const { root } = await createApplication(undefined, false);
await mkdir("dist/man", { recursive: true });
await writeFile("dist/man/quern.1", manPage(root, version));
