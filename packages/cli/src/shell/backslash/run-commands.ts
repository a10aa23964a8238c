import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { listQueryRuns, type QueryRun } from "@quern/client";
import { UsageError } from "../../errors/cli-error.ts";
import { parseCount, parseSeconds } from "../../flags.ts";
import { formats, resultFormats } from "../../output/format.ts";
import { runRow, sqlOfRuns } from "../../run/row.ts";
import { homePath } from "../home-path.ts";
import { type PrintOptions, printLast, printStatement } from "../print-run.ts";
import { printRuns } from "../print-runs.ts";
import { printTable } from "../shell-output.ts";
import { type ShellCommand, unquoted } from "./command.ts";

const listedRuns = 10;
const watchSeconds = 2;

/** Options of `\last` beside a number of rows. */
const lastOptions = ["all", "full", ...formats] as const;

/** @throws {SyntaxError} A word is no option, or there are two of a kind. */
function lastOptionsOf(rest: string): PrintOptions {
  const words: readonly string[] = rest.toLowerCase().match(/\S+/g) ?? [];
  const [format, otherFormat] = formats.filter((each) => words.includes(each));
  const [limit, otherLimit] = words.filter((word) => word === "all" || /^[\d.-]/.test(word));
  const isKnown = (word: string) => word === limit || lastOptions.some((option) => option === word);
  const unknown = words.find((word) => !isKnown(word));
  if (unknown !== undefined && resultFormats.some((each) => each === unknown))
    throw new SyntaxError(`${unknown} needs a file; name it with \\o, as in \\o result.${unknown}, then enter \\last`);
  if (unknown !== undefined || otherFormat !== undefined || otherLimit !== undefined)
    throw new SyntaxError(
      `expected a number of rows or all, full, and a format, not ${unknown ?? rest}; formats: ${formats.join(", ")}`,
    );
  const maxRows = limit === undefined || limit === "all" ? undefined : parseCount(limit);
  return { ...(limit !== undefined && { maxRows }), full: words.includes("full"), format };
}

/** Commands that run statements and show runs. */
export const runCommands: readonly ShellCommand[] = [
  {
    names: ["i", "include"],
    syntax: "file",
    brief: "Run the statements and commands of a file; in a file, the name is relative to that file.",
    argument: "file",
    async run(session, rest, work, folder) {
      if (rest === "") throw new UsageError("missing argument: file");
      const file = resolve(folder, homePath(unquoted(rest)));
      const bytes = await readFile(file).catch((error: Error) => {
        throw new UsageError(`cannot read the statements: ${error.message}`);
      });
      await session.runScript(utf8Text(bytes, file), file, work);
    },
  },
  {
    names: ["last"],
    syntax: "[number|all] [full] [format]",
    brief: "Print the result of the last run again without running it, with other limits or in another format.",
    argument: lastOptions,
    async run(session, rest, work) {
      await printLast(session, work, lastOptionsOf(rest));
    },
  },
  {
    names: ["watch"],
    syntax: "[seconds]",
    brief: `Run the last statement every few seconds until Ctrl-C. Default: ${watchSeconds}.`,
    async run(session, rest, work) {
      const seconds = rest === "" ? watchSeconds : parseSeconds(rest);
      const { lastStatement: sql } = session;
      if (sql === undefined) throw new UsageError("there is no statement to repeat; run one");
      while (!work.signal.aborted) {
        session.inform(`${new Date().toTimeString().slice(0, 8)}, every ${seconds} s, Ctrl-C ends`);
        await printStatement(session, work, sql);
        // Ctrl-C between two statements is the end of the command, and no error.
        await pause(seconds * 1_000, undefined, { signal: work.signal }).catch(() => {});
      }
    },
  },
  {
    names: ["runs"],
    syntax: "[number] [full]",
    brief: `List the newest runs with their SQL, with full also ids, times and whole SQL. Default: ${listedRuns}.`,
    argument: ["full"],
    async run(session, rest, work) {
      const { client } = session;
      const options = { signal: work.signal };
      const [, number = "", full] = /^(\S*?)\s*(full)?$/.exec(rest) ?? [undefined, rest];
      const limit = number === "" ? listedRuns : Math.min(parseCount(number), 1_000);
      const { queryRuns } = await listQueryRuns(client, { limit }, options);
      const texts = await sqlOfRuns(client, queryRuns, options);
      const sqlOf = ({ sqlStatementId }: QueryRun) => texts.get(sqlStatementId) ?? "";
      if (full === undefined && session.isInteractive && session.file === undefined)
        return printRuns(session, work, queryRuns, sqlOf);
      const rows = queryRuns.map((run) => ({ ...runRow(run), sql: sqlOf(run) }));
      const names = ["id", "state", "created_at", "elapsed_seconds", "rows", "sql"];
      await printTable(session, work, names, rows, { isWhole: full !== undefined });
    },
  },
];

/** Returns the folder to which the file names in a script are relative. */
export function folderOf(file: string | undefined): string {
  return file === undefined ? process.cwd() : dirname(file);
}

function utf8Text(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`invalid statement in ${file}: its bytes are not UTF-8; convert it, e.g. with iconv -t UTF-8`);
  }
}
