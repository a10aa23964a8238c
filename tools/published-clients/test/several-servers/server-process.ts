import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Balancer } from "./balancer.ts";

const command = fileURLToPath(new URL("../../../../packages/cli/bin/quern.js", import.meta.url));

/** `quern serve` on one data directory. */
export interface ServerProcess extends AsyncDisposable {
  readonly name: string;
  /** True while the server accepts calls, and no signal was sent to it. */
  readonly isRunning: boolean;
  /** Number of times that the server accepted calls and then ended without a signal of the test. */
  readonly ownEnds: number;
  /** Starts the server, as often as needed until it accepts calls. A supervisor such as systemd does the same. */
  start(): Promise<void>;
  /**
   * Ends a running server. Resolves with the time at which the signal was sent, in milliseconds since 1970; with
   * `undefined` if the server did not run, or ended before the signal.
   */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | undefined>;
}

interface ServerPlace {
  readonly name: string;
  readonly dataDir: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Receives the port of the server while it runs. */
  readonly balancer: Balancer;
  /** Called with each line that the server writes to stderr. */
  readonly onLine: (line: string) => void;
}

/** Pause before the next start of a server that could not start, in milliseconds. */
const pauseMs = 500;

export function createServerProcess({ name, dataDir, folder, env, balancer, onLine }: ServerPlace): ServerProcess {
  let child: ChildProcess | undefined;
  let isRunning = false;
  let ownEnds = 0;
  let isClosed = false;

  /** Starts the server once. Returns false if it ends before it accepts calls. */
  async function tryToStart(): Promise<boolean> {
    const flags = ["--port", "0", "--json", "--data-dir", dataDir];
    const started = spawn(process.execPath, ["--no-warnings", command, "serve", ...flags], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    createInterface({ input: started.stderr }).on("line", onLine);
    const announced = once(createInterface({ input: started.stdout }), "line").then(([line]) => String(line));
    const line = await Promise.race([announced, once(started, "exit").then(() => undefined)]);
    if (line === undefined) return false;
    const port = Number(new URL(JSON.parse(line).url).port);
    started.once("exit", () => {
      balancer.ports.delete(port);
      if (isRunning) ownEnds += 1;
      isRunning = false;
    });
    balancer.ports.add(port);
    isRunning = true;
    return true;
  }

  /** Ends the process, also one that does not accept calls yet. Returns false if it had ended by itself. */
  async function stop(signal: "SIGKILL" | "SIGTERM"): Promise<boolean> {
    isRunning = false;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return false;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    return signal !== "SIGKILL" || child.signalCode === signal; // a process may handle SIGTERM
  }

  const server: ServerProcess = {
    name,
    get isRunning() {
      return isRunning;
    },
    get ownEnds() {
      return ownEnds;
    },
    async start() {
      while (!isClosed && !(await tryToStart())) await sleep(pauseMs);
    },
    async end(signal) {
      const at = Date.now();
      if (!isRunning) return undefined;
      if (await stop(signal)) return at;
      ownEnds += 1;
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await stop("SIGKILL");
    },
  };
  return server;
}

/** Waits until a server runs. */
export async function whenRunning(server: ServerProcess): Promise<void> {
  while (!server.isRunning) await sleep(20);
}
