import { StatementError } from "@quern/adapter";
import { engineFailure } from "../executor/engine-error.ts";
import { ownDirectoryNames } from "../processes/child-directory.ts";

/**
 * Converts an error of the engine that stored rows. It is `ResultTooLarge` for a row above the limit, and else
 * `InvalidValue`, a fault of the rows, unless the engine lacked memory, could not access its files or failed internally.
 */
export function writeFailure(error: unknown): StatementError {
  const failure = engineFailure(error, "");
  if (failure.data.category !== "USER")
    return new StatementError({ ...failure, message: withoutOwnDirectory(failure.message) });
  const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
  const [, maxRowBytes] = /"maximum_object_size" of (\d+) bytes exceeded/.exec(reason) ?? [];
  if (maxRowBytes !== undefined) return rowTooLarge(maxRowBytes);
  return new StatementError({
    name: "InvalidValue",
    message: `Invalid value in a row of the data source: ${withoutOwnDirectory(reason)}`,
    data: { category: "DATA_SOURCE", retryable: false },
  });
}

function rowTooLarge(maxBytes: string): StatementError {
  return new StatementError({
    name: "ResultTooLarge",
    message: `A row of the result is larger than ${maxBytes} bytes; select shorter values.`,
    data: { category: "RESOURCE", retryable: false },
  });
}

function withoutOwnDirectory(text: string): string {
  return ownDirectoryNames.reduce((shorter, name) => shorter.replaceAll(`${name}/`, ""), text);
}
