import { open } from "node:fs/promises";
import { UsageError } from "../errors/cli-error.ts";
import type { Config } from "./parse-config.ts";

/** Configuration file of the command line. */
export interface ConfigFile extends Config {
  readonly path: string;
  readonly text: string;
  /** Permissions, if other users may read the file. Windows keeps the user's folder private by other means. */
  readonly sharedMode: number | undefined;
}

const missingCodes: readonly unknown[] = ["ENOENT", "ENOTDIR"];

/** Reads the configuration file. Returns undefined if there is none; the parser is loaded only if there is one. @throws {UsageError} */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  const found = await contentOf(path);
  if (found === undefined) return undefined;
  const { parseConfig } = await import("./parse-config.ts");
  return { ...parseConfig(found.text, path), path, ...found };
}

async function contentOf(path: string): Promise<Pick<ConfigFile, "text" | "sharedMode"> | undefined> {
  try {
    await using file = await open(path);
    const { mode } = await file.stat();
    const isShared = process.platform !== "win32" && (mode & 0o077) !== 0;
    return { text: await file.readFile("utf8"), sharedMode: isShared ? mode & 0o777 : undefined };
  } catch (error) {
    if (missingCodes.includes(Object(error).code)) return undefined;
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : error}`);
  }
}
