import { ArgumentScannerError, formatMessageForArgumentScannerError } from "@stricli/core";
import { UsageError } from "./cli-error.ts";

const advice = "--help describes the flags and arguments";

/** Converts an error of stricli about flags or arguments to a usage error with a message of the CLI. */
export function argumentError(error: unknown): UsageError {
  if (!(error instanceof ArgumentScannerError)) return new UsageError(messageOf(error));
  return new UsageError(
    formatMessageForArgumentScannerError(error, {
      FlagNotFoundError: ({ input, corrections: [closest] }) =>
        `unknown flag: --${input}; ${closest === undefined ? advice : `did you mean ${flagText(closest)}?`}`,
      AliasNotFoundError: ({ input }) => `unknown flag: -${input}; ${advice}`,
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
