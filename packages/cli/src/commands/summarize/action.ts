import { quotedName } from "../../catalog/table-name.ts";
import { type Context, commandFunction } from "../../command-function.ts";
import { withProfile } from "../../connection/resolve.ts";
import type { ResultFlags } from "../../result/flags.ts";
import type { StatementFlags } from "../../statement/flags.ts";
import { isReadingStatement } from "../../statement/query-words.ts";
import { runStatement } from "../../statement/run-statement.ts";

export type SummarizeFlags = ResultFlags & StatementFlags;

export const runSummarize = commandFunction(async (context: Context, flags: SummarizeFlags, subject: string) => {
  const all = await withProfile(context, flags);
  const sql = isReadingStatement(subject) ? subject : quotedName(subject);
  await runStatement(context, all, sql, { before: "summarize " });
});
