import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstLine, quern, spawnQuern } from "../quern.ts";
import { openTerminal } from "./terminal.ts";

/** Statement that only a cancellation ends. */
export const endless = "select count(*) from range(100000000000) a, range(10000000) b;";

export const keys = { enter: "\r", tab: "\t", ctrlC: "\u0003", ctrlD: "\u0004", ctrlZ: "\u001a", up: "\u001b[A" };

const apiKey = "qk_shell_test_0123456789";
const cars = "name,origin,horsepower,comment\nfiat 128,Europe,49,small\ndatsun 日本,Japan,67,\nbuick,USA,225,large\n";

/** Starts a service with a table, and returns functions that open shells on it. */
export async function startShellService() {
  const folder = await mkdtemp(join(tmpdir(), "quern-shell-"));
  const dataDir = join(folder, "data");
  await writeFile(join(folder, "cars.csv"), cars);
  await quern(["sources", "add", "samples", join(folder, "cars.csv"), "--as", "cars", "--data-dir", dataDir]);
  const service = spawnQuern(["serve", "--port", "0", "--data-dir", dataDir, "--json"], { QUERN_API_KEY: apiKey });
  const url: string = JSON.parse(await firstLine(service)).url;
  const { PATH = "" } = process.env;
  const env = { QUERN_URL: url, QUERN_API_KEY: apiKey, HOME: folder, PATH, TERM: "xterm-256color" };

  /** Opens a shell, and waits for its prompt. */
  async function open(options: Partial<Parameters<typeof openTerminal>[0]> = {}) {
    const terminal = openTerminal({ ...options, env: { ...env, ...options.env } });
    await terminal.see(/=>$/);
    return {
      ...terminal,
      /** Changes the size at the prompt, and waits until the shell has drawn it again. */
      async resize(width: number, height: number): Promise<void> {
        terminal.clear();
        terminal.resize(width, height);
        while (!terminal.output().includes("=>")) await new Promise((resolve) => setTimeout(resolve, 20));
      },
      /** Types a line, and waits for what it prints and for the next prompt. Returns what the screen shows since the line. */
      async enter(line: string, prompt = /\n[^\n]*=>$/): Promise<string> {
        terminal.clear();
        terminal.type(line + keys.enter);
        await terminal.see(prompt);
        return terminal.text();
      },
    };
  }

  /** Returns the state of the newest run, once it has ended. */
  async function endedState(): Promise<string> {
    for (;;) {
      const { stdout } = await quern(["runs", "list", "--limit", "1", "--json"], env);
      const [run] = JSON.parse(stdout);
      if (run.state !== "running" && run.state !== "queued") return run.state;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function isRunning(): Promise<void> {
    for (;;) {
      const { stdout } = await quern(["runs", "list", "--limit", "1", "--state", "running", "--ids"], env);
      if (stdout !== "") return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  return {
    folder,
    env,
    open,
    endedState,
    isRunning,
    async [Symbol.asyncDispose]() {
      service.signal("SIGTERM");
      await service.ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
