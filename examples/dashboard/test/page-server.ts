import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@quern/client";
import { build as buildPage, preview } from "vite";
import { API_KEY, start } from "../../../tools/repo-rules/src/service.ts";

const example = join(import.meta.dirname, "..");
const loadSamples = join(example, "../../tools/samples/src/main.ts");

/** Server of the built page, with a service that has the sample data. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
}

/**
 * Builds a page and serves it.
 * @param root Folder of the page. @default the folder of the example
 */
export async function startPage(root = example): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), "quern-page-"));
  const dataDir = join(folder, "data");
  const load = spawnSync(process.execPath, [loadSamples, "--data-dir", dataDir], { encoding: "utf8" });
  if (load.status !== 0) throw new Error(load.stderr);
  const service = await start("serve", "--data-dir", dataDir);
  Object.assign(process.env, { QUERN_URL: service.url, QUERN_API_KEY: API_KEY });
  const build = { outDir: join(folder, "page"), emptyOutDir: true };
  const config = { root, configFile: join(example, "vite.config.ts"), logLevel: "warn", build } as const;
  await buildPage(config);
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
