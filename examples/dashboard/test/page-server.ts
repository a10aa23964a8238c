import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@quern/client";
import { build, preview } from "vite";
import { API_KEY, start } from "../../../tools/house/src/service.ts";

const root = join(import.meta.dirname, "..");
const loadSamples = join(root, "../../tools/samples/src/main.ts");

/** The built page, and the service with the sample data behind it. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
}

export async function startPage(): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), "quern-page-"));
  const dataDir = join(folder, "data");
  const load = spawnSync(process.execPath, [loadSamples, "--data-dir", dataDir], { encoding: "utf8" });
  if (load.status !== 0) throw new Error(load.stderr);
  const service = await start("serve", "--data-dir", dataDir);
  Object.assign(process.env, { QUERN_URL: service.url, QUERN_API_KEY: API_KEY });
  const config = { root, logLevel: "warn", build: { outDir: join(folder, "page"), emptyOutDir: true } } as const;
  await build(config);
  const server = await preview({ ...config, preview: { port: 0, host: "127.0.0.1" } });
  return {
    url: server.resolvedUrls?.local[0] ?? "",
    client: createClient({ url: service.url, apiKey: API_KEY }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
