import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type QuernError, query, resumeQuery, rowsOf } from "@quern/client";
import { issueKey } from "@quern/server/administration";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API_KEY, start } from "../src/service.ts";
import { type Snippet, snippets } from "../src/snippets.ts";

/** Commands of the guide that back up the data directory, and then those that restore it. */
const commands = snippets("docs/guides/run-the-service.md").filter(({ code }) => code.includes("backup"));
const [restore] = commands.filter(({ code }) => code.includes("cp backup/quern.db"));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-operator-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run({ language, code }: Snippet): Promise<string> {
  const script = join(folder, "snippet.mjs");
  if (language === "js") await writeFile(script, code);
  const [command, ...words] = language === "js" ? [process.execPath, script] : ["sh", "-euc", code];
  return execFileSync(command ?? "", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** Starts the service, runs a function with it, and stops it. */
async function served<T>(use: (clientOf: (apiKey: string) => Client) => Promise<T>): Promise<T> {
  const service = await start("serve", "--data-dir", join(folder, "data"));
  try {
    return await use((apiKey) => createClient({ url: service.url, apiKey }));
  } finally {
    await service.stop();
  }
}

it("the guide's backup of a service that runs, restored, is the service as it was then", async () => {
  const dataDir = join(folder, "data");
  const { kept, lost, key } = await served(async (clientOf) => {
    const client = clientOf(API_KEY);
    const { key } = await issueKey({ dataDir, tenant: "acme", user: "ann" });
    const kept = await query(client, { sql: "select 'kept' as word" });
    for (const snippet of commands.filter((each) => each !== restore)) {
      const printed = await run(snippet);
      if (snippet.output !== undefined) expect(printed).toBe(snippet.output);
    }
    const lost = await query(client, { sql: "select 'made after it' as word" });
    return { kept: kept.queryRunId, lost: lost.queryRunId, key };
  });
  await rm(dataDir, { recursive: true });
  expect(restore).toBeDefined();
  if (restore !== undefined) await run(restore);

  await served(async (clientOf) => {
    const client = clientOf(API_KEY);
    const rows = await Array.fromAsync(rowsOf(await resumeQuery(client, kept)));
    expect(rows).toEqual([{ word: "kept" }]);
    expect(await resumeQuery(client, lost).catch((error: QuernError) => error.errorName)).toBe("QueryRunNotFound");
    expect((await query(clientOf(key), { sql: "select 1 as n" })).rowCount).toBe(1);
  });
});
