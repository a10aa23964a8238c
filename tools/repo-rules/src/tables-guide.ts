import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { writeExports } from "../../../packages/duckdb/test/sources/data.ts";
import { API_KEY, cli, type Service, start } from "./service.ts";
import { type Snippet, snippets } from "./snippets.ts";

export interface GuidePlace extends AsyncDisposable {
  readonly dataDir: string;
  readonly service: Service;
  /** Returns the output of a snippet. */
  run(code: string): Promise<string>;
}

/** Creates a folder with the files that the guide names, and starts a service on `quern-data` in it. */
export async function openGuide(environment: Readonly<Record<string, string>> = {}): Promise<GuidePlace> {
  const folder = await mkdtemp(join(tmpdir(), "quern-guide-"));
  await writeExports(folder);
  await writeFile(join(folder, "quern"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  await chmod(join(folder, "quern"), 0o755);
  const dataDir = join(folder, "quern-data");
  const service = await start("serve", "--data-dir", dataDir);
  const env = {
    ...process.env,
    ...environment,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    QUERN_URL: service.url,
    QUERN_API_KEY: API_KEY,
  };
  return {
    dataDir,
    service,
    run: (code) =>
      new Promise((resolve, reject) => {
        execFile("sh", ["-euc", code], { cwd: folder, env, timeout: 30_000 }, (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(new Error(`${code}\n${stderr}`));
        });
      }),
    async [Symbol.asyncDispose]() {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the commands of the guide: all of them, or only the ones that need no object storage. */
export function guideSnippets({ hasObjects }: { readonly hasObjects: boolean }): readonly Snippet[] {
  const needsObjects = ({ code }: Snippet): boolean => /EXPORTED_ORDERS|SHARED/.test(code);
  return snippets("docs/guides/load-your-tables.md").filter((snippet) => hasObjects || !needsObjects(snippet));
}
