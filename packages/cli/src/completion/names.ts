import { listQueryRuns, listTables } from "@quern/client";
import type { Context } from "../command-function.ts";
import { connect } from "../connection/connect.ts";
import { readConfigFile } from "../profiles/config-file.ts";
import { requiredConfigPath } from "../profiles/config-path.ts";
import { stateWord } from "../run/state.ts";
import type { ListNames, Proposal } from "./proposals.ts";

/** Number of runs to propose: the newest ones. */
const proposedRuns = 20;
/** Number of tables to read, so that the answer is quick. */
const readTables = 1_000;

/** Creates the function that lists profiles, and the names that the service of the line knows. */
export function knownNames(context: Context, signal: AbortSignal): ListNames {
  return async (kind, flags) => {
    if (kind === "profiles") {
      const file = await readConfigFile(requiredConfigPath(context.process.env));
      return [...(file?.profiles ?? [])].map(([value, { url: about }]) => ({
        value,
        ...(about !== undefined && { about }),
      }));
    }
    const names = ["profile", "url", "apiKeyFile"];
    const connection = Object.fromEntries(
      names.filter((name) => flags.has(name)).map((name) => [name, flags.get(name)]),
    );
    const client = await connect(connection, context);
    if (kind === "runs") {
      const { queryRuns } = await listQueryRuns(client, { limit: proposedRuns }, { signal });
      return queryRuns.map(({ id, state, createdAt }) => ({ value: id, about: `${stateWord(state)}, ${createdAt}` }));
    }
    const dataSource = kind === "tables" ? flags.get("dataSource") : undefined;
    const { tables } = await listTables(client, { limit: readTables, dataSource }, { signal });
    if (kind === "sources") return [...new Set(tables.map((table) => table.dataSource))].map((value) => ({ value }));
    return tables.map(
      ({ name, comment, columns, dataSource: source }): Proposal => ({
        value: /^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`,
        about: comment ?? `${columns.length} columns, ${source}`,
      }),
    );
  };
}
