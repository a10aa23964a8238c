import { type Context, commandFunction } from "../../command-function.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { withProfile } from "../../connection/resolve.ts";
import type { JsonFlag } from "../../flags.ts";
import type { StatementFlags } from "../../statement/flags.ts";
import { runStatement } from "../../statement/run-statement.ts";
import { isExplain } from "../../statement/run-statements.ts";
import { statementText } from "../../statement/statement-text.ts";

export interface ExplainFlags
  extends ConnectionFlags,
    JsonFlag,
    Pick<StatementFlags, "param" | "dataSource" | "dataProvider"> {
  readonly analyze: boolean;
  readonly progress?: boolean;
}

export const runExplain = commandFunction(async (context: Context, flags: ExplainFlags, sql?: string) => {
  const { analyze, json } = flags;
  const all = await withProfile(context, flags);
  const text = await statementText({ sql }, context.process);
  const before = isExplain(text) ? "" : `explain ${analyze ? "analyze " : ""}`;
  await runStatement(context, { ...all, format: json ? "json" : "plan", full: true, csv: false }, text, { before });
});
