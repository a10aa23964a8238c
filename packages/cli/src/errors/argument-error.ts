import { ArgumentScannerError, formatMessageForArgumentScannerError } from "@stricli/core";
import { UsageError } from "./cli-error.ts";

const advice = "--help describes the flags and arguments";

/** Commands with flags for the result of a run. */
const resultCommands: readonly string[] = ["query", "result", "summarize", "shell"];

/** Commands that print rows. */
const rowCommands: readonly string[] = [
  ...resultCommands,
  ...["tables", "describe", "runs", "profiles", "sources", "keys", "tenants", "usage", "configuration", "doctor"],
];

/** Flags for words of other command lines, and the commands that have them. */
const meantFlags: readonly (readonly [words: readonly string[], flag: string, commands?: readonly string[]])[] = [
  [["name"], "profile", ["login", "logout"]],
  [["key", "api-key", "token", "password"], "api-key-stdin < FILE", ["login"]],
  [["key", "api-key", "token", "password"], "api-key-file"],
  [["limit", "n", "head"], "max-rows", resultCommands],
  [["quiet", "silent", "q"], "no-progress", [...resultCommands, "explain"]],
  [["execute", "sql", "e"], "command", ["query"]],
  [["jsonl", "ndjson"], "format jsonl", rowCommands],
  [["markdown", "md"], "format markdown", rowCommands],
  [["table"], "format table", rowCommands],
  [["parquet"], "format parquet", resultCommands],
  [["arrow"], "format arrow", resultCommands],
  [["expanded"], "vertical", rowCommands],
  [["source", "database", "db"], "data-source", ["query", "summarize", "shell", "explain", "tables", "describe"]],
  [["f"], "format, in short -F", rowCommands],
];

function meantFlag(input: string, command: string | undefined): string | undefined {
  const found = meantFlags.find(
    ([words, , commands]) => words.includes(input) && (commands === undefined || commands.includes(command ?? "")),
  );
  return found && `did you mean --${found[1]}?`;
}

/**
 * Converts an error of stricli about flags or arguments to a usage error with a message of the CLI.
 * @param command First word of the command line
 */
export function argumentError(error: unknown, command?: string): UsageError {
  if (!(error instanceof ArgumentScannerError)) return new UsageError(messageOf(error));
  return new UsageError(
    formatMessageForArgumentScannerError(error, {
      FlagNotFoundError: ({ input, corrections: [closest] }) =>
        `unknown flag: --${input}; ${meantFlag(input, command) ?? (closest === undefined ? advice : `did you mean ${flagText(closest)}?`)}`,
      AliasNotFoundError: ({ input }) => `unknown flag: -${input}; ${meantFlag(input, command) ?? advice}`,
      ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) =>
        `invalid ${flagText(name)}: ${expectation(exception)}, got ${JSON.stringify(input)}`,
      EnumValidationError: ({ externalFlagName, input, values }) =>
        `invalid ${flagText(externalFlagName)}: expected one of ${values.join(", ")}, got ${JSON.stringify(input)}${fileAdvice(input)}`,
      UnexpectedFlagError: ({ externalFlagName, previousInput, input }) =>
        `${flagText(externalFlagName)} is given twice: ${previousInput}, ${input}; give it once`,
      InvalidNegatedFlagSyntaxError: ({ externalFlagName, valueText }) =>
        `${flagText(externalFlagName)} takes no value: ${valueText}; remove the value`,
      UnsatisfiedFlagError: ({ externalFlagName }) => `missing value: ${flagText(externalFlagName)}; ${advice}`,
      UnexpectedPositionalError: ({ input }) =>
        `unexpected argument: ${input}; ${advice}, and a text with spaces needs quotes`,
      UnsatisfiedPositionalError: ({ placeholder }) => `missing argument: ${placeholder}; ${advice}`,
    }),
  );
}

/** Returns the flag for a file of statements, whose short form in other command lines is `-f`. */
function fileAdvice(input: string): string {
  return /\.sql$/i.test(input) ? "; did you mean --file?" : "";
}

/** Returns a flag as the help prints it: `--query-run-id`. */
function flagText(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the expectation that a parser threw. Only the framework's parser of booleans throws another text. */
function expectation(exception: unknown): string {
  const message = messageOf(exception);
  return message.startsWith("expected ") ? message : "expected true or false";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
