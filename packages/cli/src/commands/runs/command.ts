import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag, pairFlag, parseCount, parseDateMs, parseDurationMs } from "../../flags.ts";
import { formatAliases, formatFlags } from "../../output/flags.ts";
import { listedRuns, progressFlag, runArgument, runTimeoutFlag } from "../../run/flags.ts";
import { parseState, stateWords } from "../../run/state.ts";
import { cancelRunsCommand } from "../cancel/command.ts";
import type { ListRunsFlags, ShowRunFlags, WaitFlags } from "./action.ts";

const loader = () => import("./action.ts");

const oneRun = { kind: "tuple", parameters: [runArgument] } as const;
const runFlags = { ...connectionFlags, ...jsonFlag };

const listCommand = buildCommand<ListRunsFlags, [], Context>({
  loader: async () => (await loader()).runListRuns,
  parameters: {
    flags: {
      state: {
        kind: "parsed",
        parse: (text) => text.split(",").map(parseState),
        proposeCompletions: (text) => stateWords.map((word) => text.replace(/[^,]*$/, word)),
        optional: true,
        variadic: true,
        placeholder: "state,…",
        brief: "Only runs in these states, separated by commas: queued, running, streaming, success, failed, canceled.",
      },
      tag: {
        ...pairFlag,
        brief: "Only runs with this tag, as key=value; if repeated, only runs with all of the tags.",
      },
      since: {
        kind: "parsed",
        parse: parseTime,
        optional: true,
        placeholder: "time",
        brief: "Only runs created since a date, or in the last 15m, 1h or 7d, for example.",
      },
      until: {
        kind: "parsed",
        parse: parseTime,
        optional: true,
        placeholder: "time",
        brief: "Only runs created before a date, or more than 15m, 1h or 7d ago, for example.",
      },
      text: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "text",
        brief: "Only runs whose SQL contains this text, in upper or lower case.",
      },
      limit: {
        kind: "parsed",
        parse: parseCount,
        default: String(listedRuns),
        placeholder: "number",
        brief: "Maximum number of runs.",
      },
      sql: {
        kind: "boolean",
        default: true,
        brief: "Print the SQL of each run. A table on a terminal shortens it; --full prints it whole.",
      },
      ids: { kind: "boolean", default: false, withNegated: false, brief: "Print only the ids, one a line." },
      ...connectionFlags,
      ...formatFlags,
    },
    aliases: formatAliases,
  },
  docs: {
    brief: "List runs, newest first.",
    fullDescription: [
      "Lists the runs that the user of the key has requested, newest first. A key with the scope tenant:admin lists the runs of",
      "all users of the tenant.",
      "",
      "EXAMPLES",
      "  quern runs list --state running",
      "  quern runs list --state failed,canceled --tag env=test --since 1h --format csv",
      '  quern runs list --text "from cars" --since 7d --until 1d',
      "  quern runs list --limit 5 --full",
      "  quern runs cancel $(quern runs list --tag env=test --state running --ids)",
    ].join("\n"),
  },
});

const showCommand = buildCommand<ShowRunFlags, [queryRunId: string], Context>({
  loader: async () => (await loader()).runShowRun,
  parameters: {
    flags: {
      sql: { kind: "boolean", default: false, withNegated: false, brief: "Print only the SQL of the run." },
      ...runFlags,
    },
    positional: oneRun,
  },
  docs: { brief: "Show a run and its SQL as a table on a terminal, else as JSON." },
});

const waitCommand = buildCommand<WaitFlags, [queryRunId: string], Context>({
  loader: async () => (await loader()).runWaitForRun,
  parameters: {
    flags: {
      ...runFlags,
      ...progressFlag,
      timeoutSeconds: runTimeoutFlag("then the command ends, and the run continues"),
    },
    positional: oneRun,
  },
  docs: {
    brief: "Wait until a run has ended, and print its state.",
    fullDescription: [
      "Waits until a run has ended, and prints its state. Ctrl-C stops the command but not the run.",
      "",
      "EXIT CODES",
      "  0 the run succeeded, 4 it failed, 5 it was canceled, 6 timeout, and the other exit codes of `quern query`",
    ].join("\n"),
  },
});

/** `quern runs`: lists, shows, cancels and waits for runs. */
export const runsRoute = buildRouteMap({
  routes: { list: listCommand, show: showCommand, cancel: cancelRunsCommand, wait: waitCommand },
  docs: { brief: "List, show, cancel and wait for runs." },
});

function parseTime(text: string): string {
  const agoMs = parseDurationMs(text);
  const time = agoMs === undefined ? parseDateMs(text) : Date.now() - agoMs;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new SyntaxError("expected a date, or a time such as 15m, 1h or 7d");
}
