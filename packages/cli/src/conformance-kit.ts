import { readFile } from "node:fs/promises";
import { AuthError, NetworkError, UsageError } from "./errors/cli-error.ts";

type Kit = typeof import("@quern/conformance");

/** Converts an error of the kit about the server under test or its key to an error of the CLI. */
export function serverError({ ApiKeyError, UnreachableError }: Kit, error: unknown): unknown {
  if (error instanceof UnreachableError) return new NetworkError(error.message);
  return error instanceof ApiKeyError ? new AuthError(error.message) : error;
}

/**
 * Reads the file of `--expected-failures`.
 * @param example Name of a case of the command, for the message of an error.
 * @throws {UsageError} The file is not a JSON object of cases with reasons.
 */
export async function expectedFailuresIn(path: string, example: string): Promise<Readonly<Record<string, string>>> {
  const advice = `write a JSON object from case to reason, such as {"${example}":"planned for spring"}`;
  const value: unknown = await readFile(path, "utf8")
    .then(JSON.parse)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : error;
      throw new UsageError(`cannot read the expected failures: ${path}: ${reason}; ${advice}`);
    });
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [["", 0]];
  if (!entries.every(([, reason]) => typeof reason === "string"))
    throw new UsageError(`invalid expected failures: ${path}; ${advice}`);
  return Object.fromEntries(entries);
}
