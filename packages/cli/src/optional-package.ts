import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { UsageError } from "./errors/cli-error.ts";

const { resolve } = createRequire(import.meta.url);

/**
 * Loads the package that a command is made of, which is not installed with the CLI: the one beside the CLI, else the one
 * of the folder in which the command was typed, which also a global CLI and `npx` can be given.
 * @throws UsageError with its install line.
 */
export async function optionalPackage<Module>(command: string, name: string, folder: string): Promise<Module> {
  let file: string;
  try {
    file = resolve(name, { paths: [import.meta.dirname, folder] });
  } catch {
    const installed = name.split("/", 2).join("/");
    throw new UsageError(`\`quern ${command}\` needs ${installed}; install it: npm install ${installed}`);
  }
  return import(pathToFileURL(file).href);
}
