import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { UsageError } from "./errors/cli-error.ts";

const { resolve } = createRequire(import.meta.url);

/**
 * Loads an optional peer dependency: from beside the CLI, else from the current folder, so that a global CLI and `npx` find it.
 * @throws {UsageError} The package is not installed.
 */
export async function optionalPackage<Module>(command: string, name: string, folder: string): Promise<Module> {
  let file: string;
  try {
    file = resolve(name, { paths: [import.meta.dirname, folder] });
  } catch {
    const installed = name.split("/", 2).join("/");
    throw new UsageError(`missing package of \`quern ${command}\`: ${installed}; install it: npm install ${installed}`);
  }
  return import(pathToFileURL(file).href);
}
