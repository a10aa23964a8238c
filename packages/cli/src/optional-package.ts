import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { UsageError } from "./errors/cli-error.ts";

const require = createRequire(import.meta.url);

/**
 * Loads an optional peer dependency: from beside the CLI, else from the current folder, so that a global CLI and `npx` find it.
 * @throws {UsageError} The package is not installed, or this version of Node lacks a module that it needs.
 */
export async function optionalPackage<Module>(command: string, name: string, folder: string): Promise<Module> {
  let file: string;
  try {
    file = require.resolve(name, { paths: [import.meta.dirname, folder] });
  } catch {
    const installed = name.split("/", 2).join("/");
    throw new UsageError(`missing package of \`quern ${command}\`: ${installed}; install it: npm install ${installed}`);
  }
  return import(pathToFileURL(file).href).catch((error: unknown) => {
    if (Object(error).code !== "ERR_UNKNOWN_BUILTIN_MODULE") throw error;
    const { engines } = require("../package.json") as { readonly engines: { readonly node: string } };
    throw new UsageError(`unsupported Node version: ${process.version}; \`quern ${command}\` needs ${engines.node}`);
  });
}
