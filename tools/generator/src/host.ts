import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "./load.ts";
import type { Model } from "./model.ts";
import type { OutputFile } from "./output-file.ts";
import type { Target } from "./target.ts";

const require = createRequire(import.meta.url);
const adapter = fileURLToPath(new URL("./open-rpc-component.ts", import.meta.url));

/**
 * Part of the interface of `@open-rpc/generator` that is used here. Its own declarations need packages that it does not
 * bundle.
 */
interface OpenRpcGenerator {
  default(options: { readonly openrpcDocument: object; readonly components: readonly object[] }): Promise<void>;
}

/** Runs the targets as custom components of `@open-rpc/generator`, and returns their files. */
export async function generateFiles(
  specFile: string,
  targets: readonly Target[],
): Promise<ReadonlyMap<Target, readonly OutputFile[]>> {
  const folder = mkdtempSync(join(tmpdir(), "quern-generate-"));
  try {
    const generator: OpenRpcGenerator = require("@open-rpc/generator");
    const components = targets.map(({ name }) => ({
      type: "custom",
      name,
      language: "typescript",
      customComponent: adapter,
      customType: name,
      openRPCPath: null,
      outPath: join(folder, name),
    }));
    await generator.default({ openrpcDocument: shim(load(specFile), specFile), components });
    return new Map(targets.map((target) => [target, readFiles(join(folder, target.name))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns a document with the same methods and no schemas, because the host resolves recursive references endlessly.
 */
function shim(model: Model, specFile: string): object {
  return {
    openrpc: "1.3.2",
    info: { title: model.title, version: model.version },
    "x-source": specFile,
    methods: model.methods.map(({ name }) => ({
      name,
      params: [{ name: "request", schema: true }],
      result: { name: "result", schema: true },
    })),
  };
}

function readFiles(folder: string): readonly OutputFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: file.slice(folder.length + 1).replaceAll(sep, "/"), text: readFileSync(file, "utf8") }));
}
