import type { ResultFormat } from "../output/format.ts";
import { writeRows } from "../output/rows.ts";
import { type OutputProcess, type Target, write } from "../output/target.ts";
import { escapeControls, rawWriteOf } from "../output/terminal.ts";
import type { SignalSource } from "../run/stop.ts";
import { createPagedOutput, PagerClosedError, pagerCommand } from "./pager.ts";
import type { Session } from "./session.ts";
import type { Work } from "./work.ts";

export type WorkProcess = OutputProcess & SignalSource;

/**
 * Passes the streams for the output of work: the file of `\o`, or the terminal, through a pager if the output is high.
 * What the work writes to stderr follows once the user has left the pager.
 */
export async function withOutput(
  session: Session,
  work: Work,
  use: (process: WorkProcess) => Promise<void>,
): Promise<void> {
  const { process, settings, file, isInteractive } = session;
  const { on, off } = work.signals;
  const signals = { on: on.bind(work.signals), off: off.bind(work.signals) };
  if (!isInteractive) {
    const stdout = file?.kind === "all" ? file.stream : process.stdout;
    return use({ stdout, stderr: process.stderr, env: process.env, ...signals });
  }
  const command = settings.pager ? pagerCommand(process.env) : "";
  const paged = createPagedOutput(process, command, work.isAbandoned);
  const held: string[] = [];
  const writeNow = rawWriteOf(process.stderr);
  const stderr = {
    isTTY: process.stderr.isTTY,
    write(chunk: string | Uint8Array): boolean {
      if (work.isAbandoned()) return true;
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      if (!paged.isPending()) return writeNow(text);
      held.push(text);
      return true;
    },
  };
  escapeControls(stderr);
  try {
    await use({ stdout: file?.kind === "all" ? file.stream : paged.stream, stderr, env: process.env, ...signals });
  } catch (error) {
    if (!(error instanceof PagerClosedError)) throw error;
  } finally {
    if (!work.isAbandoned()) {
      await paged.close();
      for (const text of held) writeNow(text);
    }
  }
}

/** Formats whose results would look like one. */
const separatedFormats: readonly ResultFormat[] = ["csv", "tsv", "table", "vertical", "markdown"];

/** Files and pipes that have a result. */
const begun = new WeakSet<Target["stream"]>();

/** Writes an empty line between the results in a file or a pipe, as `quern query` does. */
export async function separate(session: Session, stdout: Target["stream"], format: ResultFormat): Promise<void> {
  // On a terminal, the prompt is between them.
  if (session.isInteractive && session.file === undefined) return;
  if (begun.has(stdout) && separatedFormats.includes(format)) await write(stdout, "\n");
  begun.add(stdout);
}

/** Prints lines through the pager. */
export function printLines(session: Session, work: Work, lines: readonly string[]): Promise<void> {
  return withOutput(session, work, ({ stdout }) => write(stdout, lines.map((line) => `${line}\n`).join("")));
}

const tableFlags = { format: "table", csv: false, json: false } as const;

interface TableDetails {
  /** Words for what prints a table that is cut. @default "a wider terminal" */
  readonly full?: string;
  /** Prints whole cells, however wide. */
  readonly isWhole?: boolean;
}

/** Prints members of rows as a table. */
export function printTable(
  session: Session,
  work: Work,
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  { full = "a wider terminal", isWhole = false }: TableDetails = {},
): Promise<void> {
  return withOutput(session, work, async (process) => {
    await separate(session, process.stdout, "table");
    await writeRows({ process }, { ...tableFlags, full: isWhole }, names, rows, full);
  });
}
