import { readFile } from "node:fs/promises";
import { AuthError, NetworkError, UsageError } from "./errors/cli-error.ts";

type Kit = typeof import("@quern/conformance");

/** Converts an error of the kit about the server under test, or its key, to one of the CLI. */
export function serverError({ ApiKeyError, UnreachableError }: Kit, error: unknown): unknown {
  if (error instanceof UnreachableError) return new NetworkError(error.message);
  return error instanceof ApiKeyError ? new AuthError(error.message) : error;
}

/**
 * Reads the file of `--expected-failures`.
 * @throws {UsageError} The file is not a JSON object of cases with reasons.
 */
export async function expectedFailuresIn(path: string): Promise<Readonly<Record<string, string>>> {
  const wanted = 'write a JSON object of cases with the reasons, such as {"HTTP-083":"planned for spring"}';
  const value: unknown = await readFile(path, "utf8")
    .then(JSON.parse)
    .catch((error: unknown) => {
      throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}; ${wanted}`);
    });
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [["", 0]];
  if (!entries.every(([, reason]) => typeof reason === "string"))
    throw new UsageError(`${path} is not a list of expected failures; ${wanted}`);
  return Object.fromEntries(entries);
}
