import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { MockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { main } from "../src/main.ts";

/** Path of the built command line. */
export const binary = fileURLToPath(new URL("../bin/quern.js", import.meta.url));

type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly stdout: Readable;
  readonly stderr: Readable;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Terminal on stdout and stderr, or only on stderr if stdout is a pipe. */
export interface Terminal {
  readonly columns: number;
  readonly isPiped?: boolean;
}

/** Runs the command line in this process, with only the given environment. */
export function startQuern(
  words: readonly string[],
  env: Environment = {},
  stdin: string | Buffer = "",
  terminal?: Terminal,
): Started {
  const tty = terminal && { isTTY: true, columns: terminal.columns };
  const streams = {
    stdin: Readable.from([stdin]),
    stdout: Object.assign(new PassThrough(), terminal?.isPiped ? {} : tty),
    stderr: Object.assign(new PassThrough(), tty),
  };
  // The members of a process that the commands use.
  const fakeProcess = Object.assign(
    new EventEmitter(),
    { env, pid: process.pid, cwd: process.cwd, exit() {}, exitCode: undefined },
    streams,
  );
  const done = main(words, fakeProcess as unknown as NodeJS.Process).finally(() => {
    streams.stdout.end();
    streams.stderr.end();
  });
  const ended = Promise.all([text(streams.stdout), text(streams.stderr), done]).then(([stdout, stderr]) => ({
    status: fakeProcess.exitCode,
    stdout,
    stderr,
  }));
  return { stdout: streams.stdout, stderr: streams.stderr, signal: (name) => fakeProcess.emit(name, name), ended };
}

export function quern(words: readonly string[], env: Environment = {}, stdin: string | Buffer = ""): Promise<Ended> {
  return startQuern(words, env, stdin).ended;
}

/** Starts the built command line as a process. The caller must read its output. */
export function spawnQuern(words: readonly string[], env: Environment = {}) {
  const child = spawn(process.execPath, [binary, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = Promise.all([once(child, "exit"), text(child.stderr)]).then(([, stderr]) => ({
    status: child.exitCode,
    stderr: withoutWarnings(stderr),
  }));
  return { stdout: child.stdout, signal: (name: NodeJS.Signals) => child.kill(name), ended };
}

/**
 * Removes the warnings of Node versions in which SQLite is experimental, and of a service of root in a folder that other
 * users cannot read.
 */
export function withoutWarnings(stderr: string): string {
  return stderr.replace(
    /.*(ExperimentalWarning|--trace-warnings|"level":"warn".*because the user id \d+ cannot run them).*\n/g,
    "",
  );
}

/** Starts a mock, and returns functions that run the command line against it. */
export async function quernOn(mock: MockServer) {
  const listener = await listen(mock);
  const env = { QUERN_URL: listener.url, QUERN_API_KEY: mock.apiKey };
  return {
    env,
    run: (words: readonly string[], stdin: string | Buffer = "") => quern(words, env, stdin),
    start: (words: readonly string[], terminal?: Terminal) => startQuern(words, env, "", terminal),
    spawn: (words: readonly string[]) => spawnQuern(words, env),
    [Symbol.asyncDispose]: listener.close,
  };
}

/** Resolves to the first line of stdout. */
export function firstLine({ stdout, ended }: Pick<Started, "stdout"> & { ended: Promise<{ stderr: string }> }) {
  return new Promise<string>((resolve, reject) => {
    let output = "";
    stdout.on("data", (chunk) => {
      output += chunk;
      if (output.includes("\n")) resolve(output.split("\n", 1)[0] ?? "");
    });
    ended.then(({ stderr }) => reject(new Error(`it ended before it wrote a line: ${stderr}`)), reject);
  });
}
