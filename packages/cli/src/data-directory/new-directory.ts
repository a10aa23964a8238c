import { existsSync } from "node:fs";
import type { Context } from "../command-function.ts";
import type { DataDirFlags } from "./flags.ts";

/**
 * Runs a command that creates the data directory if it does not exist, and says on stderr that it has: the name may be
 * a mistake. With `--json`, stderr is for errors only.
 */
export async function withNewDirectory<T>(
  { process }: Context,
  { dataDir, json }: DataDirFlags,
  work: () => Promise<T>,
): Promise<T> {
  const isMissing = !existsSync(dataDir);
  try {
    return await work();
  } finally {
    if (isMissing && !json && existsSync(dataDir))
      process.stderr.write(
        `created the data directory ${dataDir}; if the service uses another one, name it in --data-dir\n`,
      );
  }
}
