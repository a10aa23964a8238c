import { readFile } from "node:fs/promises";
import { UsageError } from "../cli-error.ts";

/** @throws UsageError where the file is none of cases with reasons. */
export async function expectedFailuresIn(path: string): Promise<Readonly<Record<string, string>>> {
  const wanted = "it must be a JSON object of cases with the reasons";
  const value: unknown = await readFile(path, "utf8")
    .then(JSON.parse)
    .catch((error: unknown) => {
      throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}; ${wanted}`);
    });
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [["", 0]];
  if (!entries.every(([, reason]) => typeof reason === "string"))
    throw new UsageError(`${path} is no such list; ${wanted}`);
  return Object.fromEntries(entries);
}
