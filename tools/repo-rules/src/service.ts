import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./tree.ts";

export const cli = join(root, "packages/cli/bin/quern.js");
export const API_KEY = "qk_documents_0123456789abcdef";

export interface Service {
  readonly url: string;
  /** Sign-in link of the console, with the option `--open`. */
  readonly consoleUrl: string | undefined;
  stop(): Promise<void>;
}

/** Starts `quern serve` or `quern mock` on a free port, and resolves once it prints its address. */
export function start(command: "serve" | "mock", ...args: string[]): Promise<Service> {
  return startCommand(process.execPath, [cli, command, ...args]);
}

/**
 * Starts a command that ends in `quern serve` or `quern mock`, and resolves once it prints its address.
 * @param group starts a process group, so that `stop` also ends the child processes of the command. @default false
 */
export async function startCommand(
  command: string,
  args: readonly string[],
  { group = false, cwd, env }: { group?: boolean; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Service> {
  const child = spawn(command, [...args, "--port", "0", "--json"], {
    cwd,
    env: { ...process.env, QUERN_API_KEY: API_KEY, ...env },
    detached: group,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    ...(await readyLine(child)),
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        if (group && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
        else child.kill("SIGTERM");
      }),
  };
}

function readyLine(child: ChildProcess): Promise<Pick<Service, "consoleUrl" | "url">> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with ${code} before it was ready`)));
    if (child.stdout) createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
}
