import type { Client } from "@quern/client";
import type { Context } from "../command-function.ts";
import { UsageError } from "../errors/cli-error.ts";
import { type StopSignal, stopSignals } from "../errors/exit-code.ts";
import { printable } from "../output/row.ts";
import { completionOf } from "./completion.ts";
import { closeFileOutput } from "./file-output.ts";
import { historyFile, historySize, openHistory } from "./history.ts";
import { createLineEditor } from "./line-editor.ts";
import { createScriptRunner, performAll } from "./perform-entry.ts";
import type { Session, ShellFlags } from "./session.ts";
import { createStatementInput, historyEntries } from "./statement-input.ts";
import { createWorker } from "./work.ts";

/** Most rows of a result that a terminal shows. */
const terminalRows = 1_000;

interface ShellOptions {
  readonly client: Client;
  readonly flags: ShellFlags;
  /** Name of the profile, which has a history of its own. */
  readonly profile: string;
}

/** Runs the shell: on a terminal by its lines, else by the text on stdin. Sets the exit code. */
export async function runShell({ process }: Context, options: ShellOptions): Promise<void> {
  const isInteractive = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const session = createSession(process, options, isInteractive);
  const endedBy = await (isInteractive ? runInteractive(session, options.profile) : runText(session));
  const written = session.file && (await closeFileOutput(session.file));
  if (written !== undefined && endedBy === undefined) session.inform(written);
  if (endedBy !== undefined) process.exitCode = stopSignals[endedBy];
  else if (!isInteractive) process.exitCode = session.firstCode ?? 0;
}

function createSession(process: Context["process"], { client, flags }: ShellOptions, isInteractive: boolean): Session {
  const { format, csv, json, maxRows, dataSource, dataProvider, param = [] } = flags;
  const chosen = format ?? (csv ? "csv" : json ? "json" : undefined);
  const session: Session = {
    client,
    process,
    flags,
    isInteractive,
    settings: {
      format: chosen,
      expanded: "off",
      timing: false,
      pager: true,
      maxRows: maxRows ?? terminalRows,
      dataSource,
      dataProvider,
      variables: new Map(param),
    },
    lastStatement: undefined,
    lastRunId: undefined,
    file: undefined,
    isEnded: false,
    firstCode: undefined,
    runScript: createScriptRunner(() => session),
    inform: (line) => void process.stderr.write(`${line}\n`),
  };
  return session;
}

async function runInteractive(session: Session, profile: string): Promise<StopSignal | undefined> {
  const { process, client, settings } = session;
  const history = await openHistory(historyFile(profile, process));
  const input = createStatementInput();
  const editor = createLineEditor(process, {
    history: history.entries,
    historySize,
    complete: (line, cursor) => completionOf(session, input.text, line, cursor),
  });
  const worker = createWorker(process, true, editor.close, editor.interrupt);
  process.stderr.write(`Quern at ${`${client.url}`.replace(/\/json-rpc$/, "")}; \\? lists the commands, \\q ends\n`);
  let typed: string[] = [];
  try {
    while (!session.isEnded && worker.endedBy() === undefined) {
      const name = printable(settings.dataSource ?? "quern");
      const read = await editor.read(`${name}${input.sign}> `);
      if (read.kind === "end") break;
      if (read.kind === "interrupt") {
        input.clear();
        typed = [];
        continue;
      }
      const entries = input.push(read.text);
      const isCommand = entries.some(({ kind }) => kind === "command");
      if (!isCommand) typed.push(read.text);
      if (isCommand) await remember([read.text]);
      else if (input.text === "") {
        await remember(typed);
        typed = [];
      }
      if (entries.length === 0) continue;
      editor.suspend();
      await worker.perform(async (work) => {
        await performAll(session, work, entries);
        if (work.signal.aborted) editor.discard();
      });
    }
  } finally {
    editor.close();
    worker.end();
  }
  const endedBy = worker.endedBy();
  // The prompt of the system shell begins a new line.
  if (!session.isEnded && endedBy !== "SIGHUP") process.stderr.write("\n");
  return endedBy;

  async function remember(lines: readonly string[]): Promise<void> {
    for (const entry of historyEntries(lines)) {
      if (entry.trim() === "") continue;
      editor.remember(entry);
      await history.add(entry);
    }
  }
}

/** Runs the text on stdin as it arrives. */
async function runText(session: Session): Promise<StopSignal | undefined> {
  const { process } = session;
  const input = createStatementInput();
  const worker = createWorker(
    process,
    false,
    () => void process.stdin.destroy(),
    () => {},
  );
  let isOver = false;
  const perform = (entries: ReturnType<typeof input.push>) =>
    entries.length === 0
      ? Promise.resolve()
      : worker.perform(async (work) => {
          isOver = await performAll(session, work, entries);
        });
  try {
    for await (const { line, end } of linesOf(process.stdin)) {
      await perform(input.push(line, end));
      if (isOver) break;
    }
    if (!isOver) await perform(input.rest());
  } catch (error) {
    if (worker.endedBy() === undefined) throw error;
  } finally {
    worker.end();
  }
  return worker.endedBy();
}

/** Reads the lines of a text with the characters that end them. @throws {UsageError} The text is not UTF-8. */
async function* linesOf(stdin: AsyncIterable<Uint8Array | string>) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  const decoded = (chunk?: Uint8Array | string) => {
    try {
      return typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new UsageError("invalid statement on stdin: its bytes are not UTF-8; convert it, e.g. with iconv -t UTF-8");
    }
  };
  for await (const chunk of stdin) {
    text += decoded(chunk);
    // A CR at the end may be half of a line end.
    for (let found = /\r\n|\n|\r(?!$)/.exec(text); found !== null; found = /\r\n|\n|\r(?!$)/.exec(text)) {
      yield { line: text.slice(0, found.index), end: found[0] };
      text = text.slice(found.index + found[0].length);
    }
  }
  text += decoded();
  if (text !== "") yield { line: text.replace(/\r$/, ""), end: text.endsWith("\r") ? "\r" : "" };
}
