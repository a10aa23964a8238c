import { queued, stateWord } from "./state.ts";

/** Progress on stderr: on a terminal one line that is updated, else a line for each change. */
export interface Progress {
  /**
   * Shows the state of a run and the elapsed time.
   * @param readState Reads the state while the run is queued, because the client's long poll returns only at the end of the run.
   */
  run(queryRunId: string, state: string, readState?: () => Promise<string>): void;
  show(text: string): void;
  clear(): void;
}

interface Streams {
  readonly stdout: Pick<NodeJS.WriteStream, "isTTY">;
  readonly stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">;
}

const renewMs = 1_000;

/** @param wanted Value of `--progress`. @default true if stdout and stderr are terminals */
export function createProgress({ stdout, stderr }: Streams, wanted = Boolean(stdout.isTTY && stderr.isTTY)): Progress {
  const start = performance.now();
  let isShown = false;
  let timer: NodeJS.Timeout | undefined;
  let last: string | undefined;

  function clear(): void {
    clearInterval(timer);
    timer = undefined;
    if (isShown) stderr.write("\r\u001b[K");
    isShown = false;
  }

  function print(text: string): void {
    if (!stderr.isTTY) return void stderr.write(`${text}\n`);
    stderr.write(isShown ? `\r\u001b[K${text}` : text);
    isShown = true;
  }

  function run(queryRunId: string, state: string, readState?: () => Promise<string>): void {
    if (!wanted || last === state) return;
    last = state;
    clear();
    const line = () => `${queryRunId} ${stateWord(state)}, ${secondsText(performance.now() - start)}`;
    print(line());
    const renewal = setInterval(() => {
      if (stderr.isTTY) print(line());
      if (state !== queued) return;
      const show = (state: string) => (timer === renewal ? run(queryRunId, state) : undefined);
      // Errors are ignored here: waiting for the run reports them.
      readState?.().then(show, () => {});
    }, renewMs).unref();
    timer = renewal;
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
