import { type Context, commandFunction } from "../../command-function.ts";
import { withProfile } from "../../connection/resolve.ts";
import { runStatements, type StatementsFlags } from "../../statement/run-statements.ts";
import { statementText } from "../../statement/statement-text.ts";

export interface QueryFlags extends StatementsFlags {
  readonly command?: string;
  readonly file?: string;
}

export const runQuery = commandFunction(async (context: Context, flags: QueryFlags, sql?: string) => {
  const { command, file } = flags;
  const text = await statementText({ sql, command, file }, context.process);
  const isOnStdin = sql === "-" || file === "-" || (sql ?? command ?? file) === undefined;
  await runStatements(context, await withProfile(context, flags), text, isOnStdin);
});
