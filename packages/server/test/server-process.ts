import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { apiKey, createTestClient } from "./fixture.ts";

export interface ServerProcess extends ReturnType<typeof createTestClient> {
  readonly process: ChildProcess;
  end(signal: NodeJS.Signals): Promise<void>;
}

export async function startServerProcess(dataDir: string): Promise<ServerProcess> {
  const script = fileURLToPath(new URL("./serve-process.ts", import.meta.url));
  const process_ = spawn(process.execPath, [script, dataDir, apiKey], { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(createInterface({ input: process_.stdout }), "line");
  return {
    ...createTestClient(String(url)),
    process: process_,
    async end(signal) {
      const ended = once(process_, "exit");
      process_.kill(signal);
      await ended;
    },
  };
}
