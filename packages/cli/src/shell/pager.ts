import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { Writable } from "node:stream";
import type { Target } from "../output/target.ts";
import { printableLines, rawWriteOf } from "../output/terminal.ts";
import { textWidth } from "../output/text-width.ts";

/** The user has left the pager before the end of the output. */
export class PagerClosedError extends Error {
  override readonly name = "PagerClosedError";
}

/** Output on a terminal that goes through a pager if it is higher than the terminal. */
export interface PagedOutput {
  readonly stream: Target["stream"];
  /** Returns true while output waits, or a pager shows it: what is written to stderr must follow. */
  isPending(): boolean;
  /** Prints what is left, and waits until the user leaves the pager. */
  close(): Promise<void>;
}

/** Returns the command of the pager: QUERN_PAGER, PAGER, else `less` if it exists. Empty for none. */
export function pagerCommand(env: Readonly<NodeJS.ProcessEnv>): string {
  const { QUERN_PAGER, PAGER, TERM, PATH = "" } = env;
  const set = QUERN_PAGER ?? PAGER;
  if (set !== undefined) return set.trim() === "cat" ? "" : set.trim();
  const hasLess = PATH.split(delimiter).some((folder) => folder !== "" && isProgram(join(folder, "less")));
  return hasLess && TERM !== "dumb" && TERM !== undefined ? "less -SFRX" : "";
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Exit codes of a system shell that cannot start the pager. */
const notStarted: readonly unknown[] = [126, 127];

/**
 * Creates the output.
 * @param command Command of the pager, or "" for none.
 * @param isAbandoned Returns true once nobody waits for the output; it is then discarded.
 */
export function createPagedOutput(
  { stdout, env }: Pick<NodeJS.Process, "stdout" | "env">,
  command: string,
  isAbandoned: () => boolean,
): PagedOutput {
  let text = "";
  let lines = 0;
  let pager: ReturnType<typeof startPager> | undefined;
  const direct = rawWriteOf(stdout);
  const isHigh = () => command !== "" && lines >= (stdout.rows || Infinity);

  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      if (isAbandoned()) {
        done();
        return;
      }
      const piece = printableLines(typeof chunk === "string" ? chunk : chunk.toString());
      if (pager !== undefined) {
        pager.write(piece, done);
        return;
      }
      text += piece;
      lines += linesOf(piece, stdout.columns);
      if (isHigh()) {
        pager = startPager(command, env, () => stream.destroy(new PagerClosedError("the pager was closed")));
        pager.write(text, done);
      } else if (command !== "") done();
      else {
        stdout.write(text, () => done());
        text = "";
      }
    },
  });
  stream.on("error", () => {}); // the writer gets the error

  return {
    stream: Object.defineProperties(stream, {
      isTTY: { value: true },
      columns: { get: () => stdout.columns },
    }),
    isPending: () => text !== "" || pager !== undefined,
    async close() {
      if (pager === undefined) direct(text);
      else if (notStarted.includes(await pager.end())) direct(text);
      pager = undefined;
      text = "";
    },
  };
}

function startPager(command: string, env: Readonly<NodeJS.ProcessEnv>, onClose: () => void) {
  // Options for a pager that is `less` without options.
  const child = spawn(command, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "-SFRX", LESSCHARSET: "utf-8", ...env },
  });
  let isOver = false;
  const ended = once(child, "close").then(
    ([code]) => code,
    () => 127,
  );
  void ended.then(() => {
    isOver = true;
  });
  child.stdin.on("error", () => onClose());
  return {
    write(piece: string, done: () => void): void {
      if (isOver || child.stdin.destroyed || child.stdin.write(piece)) {
        done();
        return;
      }
      // A pager that ends does not drain its input.
      const next = () => {
        child.stdin.off("drain", next);
        child.stdin.off("close", next);
        done();
      };
      child.stdin.on("drain", next).on("close", next);
    },
    end(): Promise<unknown> {
      child.stdin.end();
      return ended;
    },
  };
}

/** Returns the number of lines that a text takes on a terminal. */
function linesOf(text: string, columns: number): number {
  return text
    .split("\n")
    .slice(1)
    .reduce((count, line) => count + Math.max(1, Math.ceil(textWidth(line) / (columns || Infinity))), 0);
}
