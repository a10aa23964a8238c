import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { machineCache } from "../../../../packages/s3/test/machine-cache.ts";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";

/** ClickHouse's page on loopback. */
export interface Play extends AsyncDisposable {
  readonly url: string;
}

/** The page, which its project does not publish as a package: `programs/server/play.html` of ClickHouse/ClickHouse. */
const PAGE = join(machineCache, "play.html");

/** Serves the page `/play` with ClickHouse as a Python package, or returns what this machine lacks. */
export async function startPlay(): Promise<Play | { readonly lacks: string }> {
  if (!existsSync(PAGE)) return { lacks: `${PAGE}; copy programs/server/play.html of ClickHouse to it` };
  const environment = await createPythonEnvironment("chdb==4.4.0");
  if ("lacks" in environment) return environment;
  const script = fileURLToPath(new URL("play.py", import.meta.url));
  const server = spawn(environment.python, ["-B", script, PAGE], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(createInterface({ input: server.stdout }), "line");
  return {
    url: `http://127.0.0.1:${port}/play`,
    async [Symbol.asyncDispose]() {
      const exit = once(server, "exit");
      server.kill();
      await exit;
    },
  };
}
