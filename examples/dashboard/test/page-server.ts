import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@quern/client";
import { build as buildPage, preview } from "vite";
import { API_KEY, cli, start, startCommand } from "../../../tools/repo-rules/src/service.ts";
import type { pages } from "../src/pages.ts";

const example = join(import.meta.dirname, "..");
const loadSamples = join(example, "../../tools/samples/src/main.ts");

/** Server of the built page, with a service. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
}

/**
 * Builds a page and serves it, with a service that has the sample data.
 * @param root Folder of the page. @default the folder of the example
 */
export function startPage(root = example): Promise<PageServer> {
  return servePage(root, "samples", (dataDir) => {
    const load = spawnSync(process.execPath, [loadSamples, "--data-dir", dataDir], { encoding: "utf8" });
    if (load.status !== 0) throw new Error(load.stderr);
    return start("serve", "--data-dir", dataDir);
  });
}

/**
 * Builds a page and serves it, with a service whose only source is a Trino.
 * @param address of the source
 * @param root Folder of the page. @default the folder of the example, with the panels over the tables of TPC-H
 */
export function startTrinoPage(address: string, root = example): Promise<PageServer> {
  const sources = [{ name: "wholesaler", provider: "quern", kind: "trino", address }];
  return servePage(root, "tpch", (dataDir) =>
    startCommand(process.execPath, [cli, "serve", "--data-dir", dataDir], {
      env: { QUERN_SOURCES: JSON.stringify(sources) },
    }),
  );
}

async function servePage(
  root: string,
  panels: keyof typeof pages,
  startService: (dataDir: string) => ReturnType<typeof start>,
): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), "quern-page-"));
  const service = await startService(join(folder, "data"));
  Object.assign(process.env, { QUERN_URL: service.url, QUERN_API_KEY: API_KEY, VITE_PANELS: panels });
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
