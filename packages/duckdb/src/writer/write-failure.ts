import { StatementError } from "@quern/adapter";
import { engineFailure } from "../executor/engine-error.ts";
import { ownDirectoryNames } from "../processes/child-directory.ts";

/**
 * Converts an error of the engine that stored rows. It is `InvalidValue`, a fault of the rows, unless the engine lacked
 * memory, could not access its files or failed internally.
 */
export function writeFailure(error: unknown): StatementError {
  const failure = engineFailure(error, "");
  if (failure.data.category !== "USER")
    return new StatementError({ ...failure, message: withoutOwnDirectory(failure.message) });
  const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
  return new StatementError({
    name: "InvalidValue",
    message: `Invalid value in a row of the data source: ${withoutOwnDirectory(reason)}`,
    data: { category: "DATA_SOURCE", retryable: false },
  });
}

function withoutOwnDirectory(text: string): string {
  return ownDirectoryNames.reduce((shorter, name) => shorter.replaceAll(`${name}/`, ""), text);
}
