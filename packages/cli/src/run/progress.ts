import type { QueryRun } from "@quern/client";
import { replaceLine } from "../output/terminal.ts";
import { clockMs } from "./clock.ts";
import { queued, stateWord } from "./state.ts";

/** Members of a run that the progress shows. */
export type RunStatus = Pick<QueryRun, "state" | "queuePosition" | "progress">;

/** Progress on stderr: on a terminal one line that is updated, else a line for each change. */
export interface Progress {
  /**
   * Shows the state of a run and the elapsed time. A terminal also shows the position in the queue, or the completed
   * share of the work.
   * @param readStatus Reads the run again while it is queued, and on a terminal also while it executes, because the
   *   client's long poll returns only at the end of the run.
   */
  run(queryRunId: string, status: RunStatus, readStatus?: () => Promise<RunStatus>): void;
  show(text: string): void;
  clear(): void;
}

interface Streams {
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">;
}

const renewMs = 1_000;

/** @param wanted Value of `--progress`. @default true if stdout and stderr are terminals */
export function createProgress({ stdout, stderr }: Streams, wanted = Boolean(stdout.isTTY && stderr.isTTY)): Progress {
  const start = clockMs();
  let isShown = false;
  let timer: NodeJS.Timeout | undefined;
  let last: string | undefined;

  function clear(): void {
    clearInterval(timer);
    timer = undefined;
    if (isShown) replaceLine(stderr, "");
    isShown = false;
  }

  function print(text: string): void {
    if (!stderr.isTTY) return void stderr.write(`${text}\n`);
    if (isShown) replaceLine(stderr, text);
    else stderr.write(text);
    isShown = true;
  }

  function run(queryRunId: string, status: RunStatus, readStatus?: () => Promise<RunStatus>): void {
    const { state } = status;
    if (!wanted || last === state) return;
    last = state;
    clear();
    let current = status;
    const line = () => `${queryRunId} ${stateWord(state)}${detail(current)}, ${secondsText(clockMs() - start)}`;
    print(line());
    const renewal = setInterval(() => {
      if (stderr.isTTY) print(line());
      if (state !== queued && !stderr.isTTY) return;
      const show = (read: RunStatus): void => {
        if (timer !== renewal) return;
        current = read;
        run(queryRunId, read, readStatus);
      };
      // Errors are ignored here: waiting for the run reports them.
      readStatus?.().then(show, () => {});
    }, renewMs).unref();
    timer = renewal;
  }

  /** Returns the position or the share of a run, for a terminal, whose line can change. */
  function detail({ queuePosition, progress }: RunStatus): string {
    if (!stderr.isTTY) return "";
    if (queuePosition !== undefined) return ` at position ${queuePosition}`;
    const percent = Math.floor((progress ?? 0) * 100);
    return percent > 0 ? ` ${percent} %` : ""; // an engine may report no share for long
  }

  return {
    run,
    show(text) {
      clear();
      if (wanted) print(text);
    },
    clear,
  };
}

/** Formats a time for people: `0.31 s`, `12 s`, `3 min 5 s`. */
export function secondsText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${Number(seconds.toFixed(2))} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
