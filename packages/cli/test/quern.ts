import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { MockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";

export const binary = fileURLToPath(new URL("../bin/quern.js", import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the real binary with nothing in its environment but what is given. */
export function startQuern(args: readonly string[], env: Readonly<Record<string, string>> = {}, stdin = ""): Started {
  const child = spawn(process.execPath, [binary, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined).end(stdin);
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return {
    child,
    ended: ended.then(([, stdout, stderr]) => ({ status: child.exitCode, stdout, stderr: withoutWarnings(stderr) })),
  };
}

/** Some versions of Node call SQLite experimental. */
function withoutWarnings(stderr: string): string {
  return stderr.replace(/.*(ExperimentalWarning|--trace-warnings).*\n/g, "");
}

export function quern(args: readonly string[], env: Readonly<Record<string, string>> = {}, stdin = ""): Promise<Ended> {
  return startQuern(args, env, stdin).ended;
}

/** The binary against a mock that listens. */
export async function quernOn(mock: MockServer) {
  const door = await listen(mock);
  const env = { QUERN_URL: door.url, QUERN_API_KEY: mock.apiKey };
  return {
    env,
    run: (args: readonly string[], stdin = "") => quern(args, env, stdin),
    start: (args: readonly string[]) => startQuern(args, env),
    [Symbol.asyncDispose]: door.close,
  };
}

/** The first line that a process writes to stdout. */
export function firstLine({ child, ended }: Started): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      if (output.includes("\n")) resolve(output.split("\n", 1)[0] ?? "");
    });
    ended.then(({ stderr }) => reject(new Error(`it ended before it wrote a line: ${stderr}`)), reject);
  });
}
