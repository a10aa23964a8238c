import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { apiKey, createTestClient } from "./fixture.ts";

export interface ServerProcess extends ReturnType<typeof createTestClient> {
  readonly url: string;
  /** It has a channel for messages. */
  readonly process: ChildProcess;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** `name` is a module beside this one. */
export async function startServerProcess(dataDir: string, name = "./serve-process.ts"): Promise<ServerProcess> {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const process_ = spawn(process.execPath, [script, dataDir, apiKey], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  if (process_.stdout === null) throw new Error("the process has no output"); // "pipe" above makes one
  const [url] = await once(createInterface({ input: process_.stdout }), "line");
  return {
    ...createTestClient(String(url)),
    url: String(url),
    process: process_,
    async end(signal) {
      const ended = once(process_, "exit");
      process_.kill(signal);
      await ended;
    },
  };
}
