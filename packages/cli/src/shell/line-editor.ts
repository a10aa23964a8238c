import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Context } from "../command-function.ts";
import { rawWriteOf } from "../output/terminal.ts";
import { createKeyGate } from "./key-gate.ts";

/** A line that was typed, Ctrl-C, or the end by Ctrl-D. */
type Input =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" };

/** Texts that fit at the cursor, and the text before the cursor that they replace. */
export type LineCompletion = readonly [texts: readonly string[], replaced: string];

export interface LineEditor {
  read(prompt: string): Promise<Input>;
  /** Gives the terminal back until the next read: Ctrl-C is then a signal, and a pager can read keys. */
  suspend(): void;
  /** Adds an entry to the history of the arrow keys. */
  remember(entry: string): void;
  /** Drops lines that were typed or pasted while the shell worked. */
  discard(): void;
  /** Discards the typed line, as Ctrl-C does. */
  interrupt(): void;
  close(): void;
}

interface EditorOptions {
  /** Entries of the history, newest first. */
  readonly history: readonly string[];
  readonly historySize: number;
  complete(line: string, cursor: number): Promise<LineCompletion>;
}

const pasteOn = "\u001b[?2004h";
const pasteOff = "\u001b[?2004l";

/** Time in which the signal of Ctrl-Z suspends the process, in milliseconds. */
const resumeMs = 50;

/** Creates the editor of the lines of a terminal. */
export function createLineEditor(
  process: Context["process"],
  { history, historySize, complete }: EditorOptions,
): LineEditor {
  const { stdin, stdout, env } = process;
  const isDumb = env.TERM === "dumb";
  const rawWrite = rawWriteOf(stdout);
  const entries = [...history];
  let resolve: ((input: Input) => void) | undefined;
  let isRaw = false;
  let isCompleting = false;
  let isPasting = false;
  let isDiscarding = false;
  let isClosed = false;

  const gate = createKeyGate(stdin, () => resolve !== undefined && !isCompleting);
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      rawWrite(String(chunk));
      done();
    },
  });
  // The editor reads these members to place the cursor.
  Object.defineProperties(output, { columns: { get: () => stdout.columns }, rows: { get: () => stdout.rows } });
  const onResize = () => void output.emit("resize");
  stdout.on("resize", onResize);

  const editor = createInterface({
    input: gate.keys,
    output,
    terminal: true,
    history: [...entries],
    historySize,
    completer(line: string, done: (error: null, completion: [string[], string]) => void) {
      // A tab of a pasted text is inserted.
      if (isPasting) {
        done(null, [[`${line}\t`], line]);
        return;
      }
      isCompleting = true;
      void complete(editor.line, editor.cursor)
        .catch((): LineCompletion => [[], line])
        .then(([texts, replaced]) => {
          isCompleting = false;
          done(null, [[...texts], replaced]);
          setImmediate(gate.release);
        });
    },
  });
  gate.keys.prependListener("keypress", (_: unknown, key: { readonly name?: string }) => {
    if (key.name === "paste-start" || key.name === "paste-end") isPasting = key.name === "paste-start";
  });
  // The shell adds whole statements, not lines.
  let lines: string[] = [];
  const setLines = () => void lines.splice(0, lines.length, ...entries);
  editor.on("history", (current) => {
    lines = current;
    setLines();
  });

  function answer(input: Input): void {
    const answered = resolve;
    resolve = undefined;
    answered?.(input);
  }

  function takeTerminal(): void {
    if (!isRaw) {
      stdin.setRawMode?.(true);
      if (!isDumb) rawWrite(pasteOn);
    }
    isRaw = true;
    stdin.resume();
  }

  function giveTerminal(): void {
    if (isRaw) {
      if (!isDumb) rawWrite(pasteOff);
      stdin.setRawMode?.(false);
    }
    isRaw = false;
    stdin.pause();
  }

  function interrupt(): void {
    if (resolve === undefined) return;
    isDiscarding = true;
    editor.write(null, { ctrl: true, name: "e" });
    rawWrite("^C");
    editor.write(null, { name: "return" });
    isDiscarding = false;
  }

  const onContinue = () => {
    if (resolve === undefined) return;
    // Another program has used the terminal meanwhile.
    giveTerminal();
    takeTerminal();
    editor.prompt(true);
  };
  process.on("SIGCONT", onContinue);
  editor.on("SIGTSTP", () => {
    giveTerminal();
    process.kill(process.pid, "SIGTSTP");
    // The timer waits while the process is suspended, and fires soon if no system shell can continue it.
    setTimeout(onContinue, resumeMs);
  });
  editor.on("SIGINT", interrupt);
  editor.on("line", (text) => answer(isDiscarding ? { kind: "interrupt" } : { kind: "line", text }));
  editor.on("close", () => {
    isClosed = true;
    answer({ kind: "end" });
  });

  return {
    read(prompt) {
      if (isClosed) return Promise.resolve({ kind: "end" });
      return new Promise((answered) => {
        resolve = answered;
        takeTerminal();
        editor.setPrompt(prompt);
        editor.prompt();
        gate.release();
      });
    },
    suspend: giveTerminal,
    remember(entry) {
      const at = entries.indexOf(entry);
      if (at >= 0) entries.splice(at, 1);
      entries.unshift(entry);
      entries.splice(historySize);
      setLines();
    },
    discard: gate.discard,
    interrupt,
    close() {
      process.off("SIGCONT", onContinue);
      stdout.off("resize", onResize);
      editor.close();
      giveTerminal();
    },
  };
}
