import type { Client } from "@quern/client";
import type { Context } from "../command-function.ts";
import type { ExitCode } from "../errors/exit-code.ts";
import type { Format, formats } from "../output/format.ts";
import type { ResultFlags } from "../result/flags.ts";
import type { StatementFlags } from "../statement/flags.ts";
import type { FileOutput } from "./file-output.ts";
import type { Work } from "./work.ts";

export interface ShellFlags
  extends Omit<ResultFlags, "format" | "output">,
    Pick<StatementFlags, "param" | "dataSource" | "dataProvider"> {
  readonly format?: (typeof formats)[number];
}

/** Value of a parameter. */
type Value = NonNullable<StatementFlags["param"]>[number][1];

/** Layout of rows that a terminal shows: `auto` is vertical if a table is wider than the terminal. */
export const layouts = ["on", "off", "auto"] as const;

type Layout = (typeof layouts)[number];

/** Settings that commands change. */
interface Settings {
  /** Undefined for a table on a terminal, and JSON Lines otherwise. */
  format: Format | undefined;
  expanded: Layout;
  timing: boolean;
  pager: boolean;
  /** Most rows to print of a result; undefined for all. */
  maxRows: number | undefined;
  dataSource: string | undefined;
  dataProvider: string | undefined;
  readonly variables: Map<string, Value>;
}

/** State of a shell. */
export interface Session {
  readonly client: Client;
  readonly process: Context["process"];
  readonly flags: ShellFlags;
  readonly isInteractive: boolean;
  readonly settings: Settings;
  lastStatement: string | undefined;
  lastRunId: string | undefined;
  /** File that results are written to, in place of the terminal. */
  file: FileOutput | undefined;
  /** Set by `\q`. */
  isEnded: boolean;
  /** Exit code of the first statement or command that failed. */
  firstCode: ExitCode | undefined;
  /** Runs the statements and commands of a text. @param file Name of its file, for errors and for files that it names. */
  runScript(text: string, file: string, work: Work): Promise<void>;
  /** Prints a line on stderr. */
  inform(line: string): void;
}
