import { listTables } from "@quern/client";
import { allTables } from "../../catalog/list-tables.ts";
import { columnsOfTable } from "../../catalog/table-columns.ts";
import { nameMatcher, searchOf } from "../../catalog/table-name.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { printable } from "../../output/row.ts";
import type { Session } from "../session.ts";
import { printLines, printTable } from "../shell-output.ts";
import type { Work } from "../work.ts";
import { type ShellCommand, unquoted } from "./command.ts";

/** Commands that show tables and data sources. */
export const catalogCommands: readonly ShellCommand[] = [
  {
    names: ["d", "dt"],
    syntax: "[name]",
    brief: "List the tables, those of a pattern with * or ?, or the columns of a table.",
    argument: "table",
    async run(session, rest, work) {
      const name = rest.replace(/;$/, "").trim();
      if (name === "" || /[*?]/.test(name)) return printTables(session, work, name);
      const { names, rows } = await columnsOfTable(session.client, session.settings, name, { signal: work.signal });
      await printTable(session, work, names, rows);
    },
  },
  {
    names: ["source"],
    syntax: "[name]",
    brief: "Data source of the next statements; default: that of the service. Without a name, list those with tables.",
    argument: "source",
    async run(session, rest, work) {
      const { settings } = session;
      if (rest !== "") {
        const name = unquoted(rest);
        const note = name === "default" ? "" : await checkSource(session, work, name);
        settings.dataSource = name === "default" ? undefined : name;
        settings.dataProvider = undefined;
        return session.inform(`data source: ${settings.dataSource ?? "the default of the service"}${note}`);
      }
      const names = await sourcesWithTables(session, work);
      const mark = (name: string) => (name === settings.dataSource ? " (chosen)" : "");
      await printLines(
        session,
        work,
        names.map((name) => printable(name) + mark(name)),
      );
    },
  },
];

async function sourcesWithTables({ client }: Session, { signal }: Work): Promise<readonly string[]> {
  const tables = await allTables(client, {}, { signal });
  return [...new Set(tables.map(({ dataSource }) => dataSource))];
}

/** Returns words for a name that the service cannot check now. @throws {UsageError} The service has no such data source. */
async function checkSource(session: Session, work: Work, name: string): Promise<string> {
  try {
    await listTables(session.client, { dataSource: name, limit: 1 }, { signal: work.signal });
    return "";
  } catch (error) {
    work.signal.throwIfAborted();
    const { errorName, message } = Object(error);
    // A source whose engine lists no tables now can still run statements later.
    if (errorName !== "DataSourceNotFound") return `, not checked: ${message}`;
    const known = await sourcesWithTables(session, work);
    throw new UsageError(`unknown data source: ${name}; those with tables: ${known.join(", ") || "none"}`);
  }
}

async function printTables(session: Session, work: Work, pattern: string): Promise<void> {
  const { dataSource, dataProvider } = session.settings;
  const search = pattern === "" ? undefined : searchOf(pattern);
  const found = await allTables(session.client, { dataSource, dataProvider, search }, { signal: work.signal });
  const shown = pattern === "" ? found : found.filter(nameMatcher(pattern));
  if (shown.length === 0) return session.inform(pattern === "" ? "there is no table" : `no table matches ${pattern}`);
  const rows = shown.map(({ name, schema, dataSource: source, columns, rowEstimate, comment }) => {
    return { name, schema, data_source: source, columns: columns.length, rows: rowEstimate, comment };
  });
  const names = ["name", "schema", "data_source", "columns", "rows", "comment"];
  await printTable(session, work, names, rows);
}
