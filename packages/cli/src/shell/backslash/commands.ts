import { UsageError } from "../../errors/cli-error.ts";
import { printLines } from "../shell-output.ts";
import { catalogCommands } from "./catalog-commands.ts";
import type { ShellCommand } from "./command.ts";
import { displayCommands } from "./display-commands.ts";
import { runCommands } from "./run-commands.ts";
import { variableCommands } from "./variable-commands.ts";

const endCommands: readonly ShellCommand[] = [
  {
    names: ["?", "help", "h"],
    syntax: "",
    brief: "Print this help.",
    run: (session, _, work) => printLines(session, work, helpLines()),
  },
  {
    names: ["q", "quit", "exit"],
    syntax: "",
    brief: "End the shell, as Ctrl-D does.",
    run(session) {
      session.isEnded = true;
    },
  },
];

/** Commands of the shell, in the order of the help. */
export const shellCommands: readonly ShellCommand[] = [
  ...catalogCommands,
  ...displayCommands,
  ...runCommands,
  ...variableCommands,
  ...endCommands,
];

/** Splits a line such as `\d cars` into its command and the rest. @throws {UsageError} There is no such command. */
export function shellCommandOf(line: string): { readonly command: ShellCommand; readonly rest: string } {
  const [, name = "", rest = ""] = /^\\(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const bare = name.replace(/;$/, "");
  const command = shellCommands.find(({ names }) => names.includes(bare));
  if (command !== undefined) return { command, rest: rest.trim() };
  const lower = bare.toLowerCase();
  if (Object.hasOwn(missingCommands, lower)) throw new UsageError(`no command: \\${bare}; ${missingCommands[lower]}`);
  const nearest = nearestName(lower);
  const advice = nearest === undefined ? "\\? lists the commands" : `did you mean \\${nearest}?`;
  throw new UsageError(`unknown command: \\${bare}; ${advice}`);
}

/** Names of other shells for the same commands. */
const foreignNames: Readonly<Record<string, string>> = {
  c: "source",
  connect: "source",
  dn: "source",
  "d+": "d",
  describe: "d",
  dv: "d",
  history: "runs",
  l: "source",
  list: "source",
  maxrows: "rows",
  mode: "format",
  output: "o",
  param: "set",
  pset: "format",
  read: "i",
  schema: "d",
  show: "d",
  tables: "d",
  timer: "timing",
  u: "source",
  use: "source",
};

/** Commands of other shells that this one does not have, and what to do instead. */
const missingCommands: Readonly<Record<string, string>> = {
  "!": "Ctrl-Z suspends the shell, and fg continues it",
  copy: "\\o file writes the next results to a file",
  df: "Tab completes functions, and \\d lists tables",
  di: "\\d lists tables, and \\d name the columns and the key of one",
  du: "keys and users are those of the service; \\d lists tables",
  e: "edit a file in your editor, then run it with \\i file",
  edit: "edit a file in your editor, then run it with \\i file",
  g: "end the statement with a semicolon; \\last prints its result again",
  gx: "\\x on, then the statement with a semicolon; \\last vertical prints the last result",
  p: "Up shows the last lines",
  r: "Ctrl-C clears the statement",
  s: "Up shows the last lines, and \\runs lists the runs with their SQL",
  shell: "Ctrl-Z suspends the shell, and fg continues it",
  w: "\\runs full shows whole statements, and \\o file writes results",
};

/** Most changes of letters between a name and the one that was meant. */
const nearDistance = 2;

function nearestName(lower: string): string | undefined {
  if (Object.hasOwn(foreignNames, lower)) return foreignNames[lower];
  const names = shellCommands.flatMap((command) => command.names);
  const longer = lower.length > 1 ? names.find((each) => each.startsWith(lower)) : undefined;
  if (longer !== undefined) return longer;
  const [nearest] = names
    .map((each) => ({ each, distance: distanceOf(lower, each) }))
    .filter(({ each, distance }) => distance <= Math.min(nearDistance, each.length - 1))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.each;
}

/** Returns the number of letters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const above = row;
    row = [at + 1];
    for (let to = 1; to <= b.length; to += 1) {
      const changed = (above[to - 1] ?? 0) + (letter === b[to - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}

function helpLines(): readonly string[] {
  const entries = shellCommands.map(
    ({ names: [name], syntax, brief }) => [`\\${name} ${syntax}`.trim(), brief] as const,
  );
  const width = Math.max(...entries.map(([head]) => head.length));
  return [
    "A statement ends with a semicolon, and may have several lines. Tab completes names, keywords and commands.",
    "Ctrl-C cancels the run or clears the line, and Ctrl-D ends the shell.",
    "",
    ...entries.map(([head, brief]) => `${head.padEnd(width)}  ${brief}`),
  ];
}
