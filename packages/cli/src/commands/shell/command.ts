import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { formatAliases } from "../../output/flags.ts";
import { formats } from "../../output/format.ts";
import { resultFlags } from "../../result/flags.ts";
import { runTimeoutFlag } from "../../run/flags.ts";
import type { ShellFlags } from "../../shell/session.ts";
import { paramFlag, sourceFlags } from "../../statement/flags.ts";

const { format, output: _, maxRows, ...flags } = resultFlags;

/** `quern shell`: runs statements as they are typed. */
export const shellCommand: Command<Context> = buildCommand<ShellFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runShellCommand,
  parameters: {
    flags: {
      ...paramFlag,
      ...sourceFlags,
      format: { ...format, values: formats, brief: "Output format. Default: table on a terminal, else jsonl." },
      ...flags,
      maxRows: {
        ...maxRows,
        brief: "Print at most this many rows of a result. Default: 1,000 on a terminal, else all.",
      },
      timeoutSeconds: runTimeoutFlag("then the query is withdrawn"),
    },
    aliases: { ...formatAliases, p: "param" },
  },
  docs: {
    brief: "Run statements as you type them; `quern` alone on a terminal does the same.",
    fullDescription: [
      "Reads statements from the terminal, runs each one at its semicolon, and prints its rows. Tab completes names and",
      "keywords, Ctrl-C cancels the run and keeps the shell, and Ctrl-D ends it. Commands begin with a backslash; \\? lists them.",
      "Without a terminal, the shell runs the statements and commands on stdin, and the exit code is that of the first one that",
      "fails.",
      "",
      "EXAMPLES",
      "  quern shell",
      "  quern shell --data-source samples",
      "  quern shell --csv < report.sql",
      "",
      "ENVIRONMENT",
      "  QUERN_PAGER     Program for results that are higher than the terminal. Default: PAGER, else less.",
      "  XDG_STATE_HOME  Folder for the history. Default: ~/.local/state.",
    ].join("\n"),
  },
});
