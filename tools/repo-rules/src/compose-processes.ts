import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../../packages/s3/test/storage.ts";
import type { ContainerDirectory } from "./container-directory.ts";
import { composeServers, interpolated } from "./deploy-example.ts";

/** User id of the servers, if the tests run as root. */
export const serverUser = 90_500;

/** Server of `compose.yaml`, as a process. */
export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  start(): Promise<void>;
  /** Sends a signal, and resolves when the process has ended. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface ComposeOptions {
  readonly directory: ContainerDirectory;
  /** Values of the variables of `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Addresses of this machine for those of the services, such as `postgres:5432`. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Changes of the settings, beside those of the addresses. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns the servers of `compose.yaml` with their settings, as processes on this machine. */
export async function serverProcesses({
  directory,
  variables,
  addresses,
  env = {},
}: ComposeOptions): Promise<readonly ServerProcess[]> {
  const servers: ServerProcess[] = [];
  for (const { name, environment = {} } of composeServers()) {
    const port = await freePort();
    const placed = (text: string): string =>
      Object.entries(addresses).reduce((done, [from, to]) => done.replaceAll(from, to), interpolated(text, variables));
    const settings = Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, placed(text)]));
    const dataDir = directory.at(`/var/lib/quern/${name}`);
    mkdirSync(join(dataDir, "sources"), { recursive: true });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(dataDir, serverUser, serverUser); // `sources` stays with root, as a read-only volume
    const identity = isRoot ? { uid: serverUser, gid: serverUser } : {};
    let child: ChildProcess | undefined;
    servers.push({
      name,
      port,
      async start() {
        child = spawn(
          process.execPath,
          ["--no-warnings", directory.at("/opt/quern/node_modules/.bin/quern"), "serve"],
          {
            cwd: dataDir,
            env: {
              PATH: process.env.PATH,
              NODE_ENV: "production",
              HOME: dataDir, // a container sets HOME, too
              ...settings,
              QUERN_DATA_DIR: dataDir,
              QUERN_HOST: "127.0.0.1",
              QUERN_PORT: String(port),
              ...env,
            },
            stdio: ["ignore", "pipe", "inherit"],
            ...identity,
          },
        );
        const ended = once(child, "exit").then(([code]) => {
          throw new Error(`${name} ended with ${code} before it was ready`);
        });
        ended.catch(() => {}); // once it is ready, its end is no fault
        if (child.stdout === null) throw new Error("the server has no output");
        const lines = createInterface({ input: child.stdout });
        await Promise.race([once(lines, "line"), ended]);
      },
      async stop(signal) {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill(signal);
        await ended;
      },
    });
  }
  return servers;
}
