import { type Context, reportFailure } from "../command-function.ts";
import { UsageError } from "../errors/cli-error.ts";
import { exitCodes } from "../errors/exit-code.ts";
import { failureOf } from "../errors/failure.ts";
import { chosenFormat, isBinary, type ProfileFormat, type ResultFormat, shortFormat } from "../output/format.ts";
import { printable } from "../output/row.ts";
import { write } from "../output/target.ts";
import { terminalColumns } from "../output/terminal.ts";
import { clipped } from "../output/text-width.ts";
import type { ResultFlags } from "../result/flags.ts";
import type { StatementFlags, TableFileFlags } from "./flags.ts";
import { runStatement } from "./run-statement.ts";
import { type Statement, statementsOf } from "./statements.ts";
import { checkTableFiles } from "./table-file.ts";

export interface StatementsFlags extends ResultFlags, StatementFlags, TableFileFlags {
  readonly stopOnError: boolean;
}

/** Width of a heading that is not on a terminal. */
const headingColumns = 100;

/**
 * Runs the statements of a text one after the other, and prints the result of each. The exit code is that of the first
 * statement that failed.
 * @param isOnStdin true if the text came from stdin
 * @throws {UsageError} There is no statement, or the results cannot be in one output.
 */
export async function runStatements(
  context: Context,
  flags: StatementsFlags & ProfileFormat,
  text: string,
  isOnStdin: boolean,
): Promise<void> {
  const { stdout, env } = context.process;
  const statements = statementsOf(text);
  checkTableFiles(flags.with ?? [], isOnStdin, statements.length);
  const [only, second] = statements;
  if (only === undefined) throw new UsageError("missing statement: the text has only comments");
  if (second === undefined) return runStatement(context, withPlanFormat(flags, only.sql, stdout), only.sql);
  const format = chosenFormat<ResultFormat>(flags, stdout);
  const count = statements.length;
  if (flags.output !== undefined && flags.output !== "-")
    throw new UsageError(`cannot write ${count} results to one file; run the statements one by one, or omit --output`);
  if (isBinary(format))
    throw new UsageError(`cannot write ${count} results as one ${format}; run the statements one by one`);
  let firstCode: number | undefined;
  for (const [at, statement] of statements.entries()) {
    const place = `${at + 1} of ${count}`;
    try {
      const width = terminalColumns(stdout, env) ?? headingColumns;
      await write(stdout, headingOf(format, statement, place, at === 0, width));
      const { param, ...rest } = flags;
      const used = { ...rest, ...usedParameters(param, statement.sql) };
      await runStatement(context, withPlanFormat(used, statement.sql, stdout), statement.sql, { line: statement.line });
    } catch (error) {
      const failure = failureOf(error);
      if (error instanceof Error)
        Object.assign(error, { message: `statement ${place} (line ${statement.line}): ${error.message}` });
      if (flags.stopOnError || !isOfStatement(failure)) throw error;
      reportFailure(context.process, flags.json, error);
      firstCode ??= failure.exitCode;
    }
  }
  if (firstCode !== undefined) context.process.exitCode = firstCode;
}

/** Returns whether an error is that of one statement. Any other would repeat for the next one. */
function isOfStatement({ exitCode, kind }: ReturnType<typeof failureOf>): boolean {
  return exitCode === exitCodes.failed || exitCode === exitCodes.canceled || kind === "rpc";
}

function headingOf(format: ResultFormat, { sql }: Statement, place: string, isFirst: boolean, width: number): string {
  const gap = isFirst ? "" : "\n";
  const line = printable(sql.replaceAll(/\s+/g, " "));
  switch (format) {
    case "table":
    case "vertical":
      return `${gap}${clipped(`-- ${place}: ${line}`, width)}\n`;
    case "markdown":
      return `${gap}### ${place}\n\n`;
    case "csv":
    case "tsv":
      return gap;
    default:
      return "";
  }
}

/** Returns the flags with the format `plan` for an EXPLAIN on a terminal, where a table would have it in one cell. */
function withPlanFormat(flags: StatementsFlags, sql: string, stdout: { readonly isTTY?: boolean }): StatementsFlags {
  const isChosen = (flags.format ?? shortFormat(flags) ?? flags.output) !== undefined;
  return !isChosen && stdout.isTTY && isExplain(sql) ? { ...flags, format: "plan" } : flags;
}

/** Returns whether a statement explains another one. */
export function isExplain(sql: string): boolean {
  return /^\s*explain\b/i.test(sql);
}

/** Returns the parameters of a statement, if there are any: an engine refuses values that a statement does not use. */
export function usedParameters(param: StatementFlags["param"], sql: string): Pick<StatementFlags, "param"> {
  const names = new Set(sql.match(/(?<=\$)[\p{L}_][\p{L}\p{N}_]*/gu));
  const used = param?.filter(([name]) => /^\d+$/.test(name) || names.has(name));
  return used === undefined || used.length === 0 ? {} : { param: used };
}
