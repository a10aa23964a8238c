import { type Client, describeQuery } from "@quern/client";
import { columnRows, columnsOfTable } from "../../catalog/table-columns.ts";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import { withProfile } from "../../connection/resolve.ts";
import { notePlace } from "../../errors/error-place.ts";
import { writeRows } from "../../output/rows.ts";
import { isReadingStatement } from "../../statement/query-words.ts";
import type { TablesFlags } from "../tables/action.ts";

export const runDescribe = commandFunction(async (context: Context, given: TablesFlags, subject: string) => {
  const flags = await withProfile(context, given);
  const client = await connect(flags, context);
  const { names, rows } = isReadingStatement(subject)
    ? await columnsOfStatement(client, flags, subject)
    : await columnsOfTable(client, flags, subject, timeoutOf(flags));
  await writeRows(context, flags, names, rows);
});

async function columnsOfStatement(client: Client, flags: TablesFlags, sql: string) {
  const { dataSource, dataProvider } = flags;
  const options = timeoutOf(flags);
  const { columns } = await describeQuery(client, { sql, dataSource, dataProvider }, options).catch((error: Error) => {
    notePlace(error, { sql, line: 1 });
    throw asFailedQuery(error);
  });
  return { names: ["name", "type", "nullable"], rows: columnRows(columns) };
}

/** Gives the error of a statement that the engine rejects the message, place and kind that it has when the statement runs. */
function asFailedQuery(error: Error & { readonly errorName?: string; readonly data?: unknown }): Error {
  const { errorName, errorMessage, errorData } = Object(error.data) as Partial<Record<string, unknown>>;
  if (error.errorName !== "InvalidQuery" || typeof errorMessage !== "string") return error;
  return Object.assign(error, { kind: "failed", message: errorMessage, errorName, data: errorData });
}
