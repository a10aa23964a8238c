import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { binary } from "../quern.ts";

interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  /** @default Node, with the built command line */
  readonly program?: string;
  readonly columns?: number;
  readonly rows?: number;
}

/** Longest wait for a text on the screen, in milliseconds. */
const patienceMs = 20_000;

/** Starts the built command line in a pseudo-terminal, whose screen is that of a terminal emulator. */
export function openTerminal({ env, program, words = ["shell"], columns = 100, rows = 40 }: TerminalOptions) {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const [file, args] = program === undefined ? [process.execPath, [binary, ...words]] : [program, [...words]];
  const child = spawn(file, args, { cols: columns, rows, env: { ...env }, cwd: "/" });
  let output = "";
  child.onData((data) => {
    output += data;
    screen.write(data);
  });
  // The emulator answers questions of programs, such as for the place of the cursor.
  screen.onData((answer) => child.write(answer));
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode, signal }) => resolve(signal || exitCode)));

  /** Returns the lines of the screen and those that have left it, without white space at their ends. */
  function text(): string {
    const { active } = screen.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  /** Waits until the screen has a text. Returns all that it then shows. */
  async function see(expected: string | RegExp): Promise<string> {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const shown = text();
      if (typeof expected === "string" ? shown.includes(expected) : expected.test(shown)) return shown;
      if (performance.now() > giveUpAt) throw new Error(`${expected} is not on the screen:\n${shown}`);
    }
  }

  return {
    pid: child.pid,
    type: (keys: string) => child.write(keys),
    text,
    see,
    output: () => output,
    /** Empties the screen, so that `see` finds only what comes next. */
    clear() {
      screen.clear();
      output = "";
    },
    resize(width: number, height: number) {
      screen.resize(width, height);
      child.resize(width, height);
    },
    signal: (name: NodeJS.Signals) => process.kill(child.pid, name),
    /** Closes the terminal, as its window does. */
    close: () => void Reflect.apply(Reflect.get(child, "destroy"), child, []),
    async isGone(): Promise<void> {
      while (isAlive(child.pid)) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    ended,
    [Symbol.dispose]() {
      if (isAlive(child.pid)) process.kill(child.pid, "SIGKILL");
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
