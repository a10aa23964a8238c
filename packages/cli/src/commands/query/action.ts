import { type Context, commandFunction } from "../../command-function.ts";
import { runStatements, type StatementsFlags } from "../../statement/run-statements.ts";
import { statementText } from "../../statement/statement-text.ts";

export interface QueryFlags extends StatementsFlags {
  readonly command?: string;
  readonly file?: string;
}

export const runQuery = commandFunction(async (context: Context, flags: QueryFlags, sql?: string) => {
  const { command, file } = flags;
  await runStatements(context, flags, await statementText({ sql, command, file }, context.process.stdin));
});
