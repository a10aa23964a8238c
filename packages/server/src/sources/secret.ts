import { readFile } from "node:fs/promises";
import type { SecretPlace } from "@quern/adapter";

/**
 * Reads a secret of a data source; of a file, without the line break at its end.
 * @throws {Error} if the file cannot be read, or the variable is not set
 */
export async function readSecret(place: SecretPlace): Promise<string> {
  if ("variable" in place) {
    const value = process.env[place.variable];
    if (value !== undefined && value !== "") return value;
    throw new Error(`Missing password of a data source: the variable ${place.variable} is not set; set it.`);
  }
  const text = await readFile(place.file, "utf8").catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw new Error(`Cannot read the password of a data source: ${place.file}${code}; check the file.`);
  });
  return text.replace(/\r?\n$/, "");
}
