import { resolve } from "node:path";
import { UsageError } from "../../errors/cli-error.ts";
import { parseCount } from "../../flags.ts";
import { formats } from "../../output/format.ts";
import { closeFileOutput, openFileOutput } from "../file-output.ts";
import { homePath } from "../home-path.ts";
import { pagerCommand } from "../pager.ts";
import { layouts } from "../session.ts";
import { type ShellCommand, switched, unquoted } from "./command.ts";

/** Commands that choose how rows are shown. */
export const displayCommands: readonly ShellCommand[] = [
  {
    names: ["x"],
    syntax: "[on|off|auto]",
    brief: "A line for each value, under a heading for each row; auto: if a table is wider than the terminal.",
    argument: layouts,
    run(session, rest) {
      const { settings } = session;
      const found = layouts.find((layout) => layout === rest.toLowerCase());
      settings.expanded = found ?? (switched(rest, settings.expanded === "on") ? "on" : "off");
      session.inform(`vertical rows: ${settings.expanded}`);
    },
  },
  {
    names: ["timing"],
    syntax: "[on|off]",
    brief: "Print the times that the service has measured after each result.",
    argument: ["on", "off"],
    run(session, rest) {
      session.settings.timing = switched(rest, session.settings.timing);
      session.inform(`timing: ${session.settings.timing ? "on" : "off"}`);
    },
  },
  {
    names: ["format"],
    syntax: "[name]",
    brief: `Format of results: ${formats.join(", ")}. Without a name, print it.`,
    argument: formats,
    run(session, rest) {
      if (rest !== "") {
        const name = unquoted(rest).toLowerCase();
        const found = formats.find((format) => format === name);
        if (found === undefined) throw new SyntaxError(`expected one of ${formats.join(", ")}`);
        session.settings.format = found === "table" ? undefined : found;
      }
      session.inform(`format: ${session.settings.format ?? "table"}`);
    },
  },
  {
    names: ["rows"],
    syntax: "[number|all]",
    brief: "Most rows to print of a result. Without a number, print it.",
    argument: ["all"],
    run(session, rest) {
      if (rest !== "") session.settings.maxRows = rest === "all" ? undefined : parseCount(rest);
      session.inform(`rows: ${session.settings.maxRows?.toLocaleString("en") ?? "all"}`);
    },
  },
  {
    names: ["pager"],
    syntax: "[on|off]",
    brief: "Show long results in QUERN_PAGER, PAGER or less.",
    argument: ["on", "off"],
    run(session, rest) {
      session.settings.pager = switched(rest, session.settings.pager);
      const command = pagerCommand(session.process.env) || "there is none; set QUERN_PAGER";
      session.inform(`pager: ${session.settings.pager ? `on (${command})` : "off"}`);
    },
  },
  {
    names: ["o", "out"],
    syntax: "[file]",
    brief:
      "Write the next results to a file, in the format of its extension: one result to .parquet, .arrow, .arrows and compressed files, all to others. Without a file, print results again.",
    argument: "file",
    async run(session, rest, _, folder) {
      const { file } = session;
      session.file = undefined;
      const written = file && (await closeFileOutput(file));
      if (written !== undefined) session.inform(written);
      if (rest === "" && file === undefined) throw new UsageError("no file is open; name one");
      if (rest === "") return;
      session.file = await openFileOutput(resolve(folder, homePath(unquoted(rest))));
      if (session.file.kind === "one") session.inform(`the next result goes to ${session.file.file}, which holds one`);
    },
  },
];
