import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./tree.ts";

export const cli = join(root, "packages/cli/bin/quern.js");
export const API_KEY = "qk_documents_0123456789abcdef";

export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `quern serve` or `quern mock` on a free port and resolves once it answers. */
export async function start(command: "serve" | "mock", ...args: string[]): Promise<Service> {
  const child = spawn(process.execPath, [cli, command, "--port", "0", "--json", ...args], {
    env: { ...process.env, QUERN_API_KEY: API_KEY },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { url } = await readyLine(child);
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

function readyLine(child: ChildProcess): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with ${code} before it was ready`)));
    if (child.stdout) createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
}
