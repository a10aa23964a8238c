import { execFile } from "node:child_process";
import { chmod, cp, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { createClient, query, resumeQuery, rowsOf } from "@quern/client";
import { expect, it } from "vitest";
import { execute } from "../../../packages/postgres/test/store/fixture.ts";
import { copyBucket, emptyBucket, installationWithDump } from "../../../packages/s3/test/moving/backup.ts";
import { createPlaces } from "../../../packages/s3/test/moving/places.ts";
import { credentials } from "../../../packages/s3/test/storage.ts";
import { hasVersitygw } from "../../../packages/s3/test/versitygw.ts";
import { API_KEY, cli } from "../src/service.ts";
import { type Snippet, snippets } from "../src/snippets.ts";

const movingGuide = "docs/guides/move-to-several-servers.md";

/** Buckets of the stand-in for `aws`, by the addresses of the guide. */
const buckets: Readonly<Record<string, string>> = {
  "s3://bucket/prefix": "service",
  "s3://backup-bucket/2026-11-23": "backup",
};

const installation = installationWithDump();
if (!hasVersitygw() || installation === undefined)
  it.skip("the guide to several servers does not run here: the machine lacks pg_dump or go"); // as its name says
else
  it("the guide to several servers moves a service there and back, and restores its backup", async () => {
    await using places = await createPlaces(installation);
    const { folder, storage, serve } = places;
    const { QUERN_STORE: store = "", QUERN_RESULTS: results = "" } = places.shared;
    await storage.createBucket("backup");
    const scripts = { quern: `exec "${process.execPath}" --no-warnings "${cli}" "$@"`, aws: 'echo "$@" >> aws.log' };
    for (const [name, line] of Object.entries(scripts)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
      await chmod(join(folder, name), 0o755);
    }
    const PATH = [folder, join(installation, "bin"), process.env.PATH].join(delimiter);
    const keys = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };

    /** Runs the snippet with a text. `aws s3 sync` is a stand-in: its copies are made after the snippet. */
    async function run(text: string): Promise<void> {
      const { code, output } = movingSnippet(text, store, results);
      await writeFile(join(folder, "aws.log"), "");
      const { stdout } = await promisify(execFile)("sh", ["-euc", code], { cwd: folder, env: { PATH, ...keys } });
      if (output !== undefined) expect(stdout).toBe(output);
      for (const line of (await readFile(join(folder, "aws.log"), "utf8")).split("\n")) {
        const [, from = "", to = ""] = /^s3 sync (\S+) (\S+)$/.exec(line) ?? [];
        if (line !== "") await copyBucket(storage, buckets[from] ?? "", buckets[to] ?? "");
      }
    }

    const env = { QUERN_API_KEY: API_KEY };
    const old = await serve(["--data-dir", "data"], env);
    const client = createClient({ url: old.url, apiKey: API_KEY });
    // A result of 32 kB of random text is a file. The other one is small, so it is in the record of its run.
    const sql = "select 'first' as word, string_agg(md5(range::varchar)) as filler from range(1000)";
    const first = await query(client, { sql });
    await query(client, { sql: "select 'second' as word" });
    await promisify(execFile)("quern", ["keys", "issue", "--tenant", "acme", "--user", "ann", "--data-dir", "data"], {
      cwd: folder,
      env: { PATH },
    });
    await run('kill "$pid"');
    await writeFile(join(folder, "servers.json"), movingSnippet('{ "store"', store, results).code);
    await run("--check");

    const firstWord = async (words: readonly string[]): Promise<void> => {
      const server = await serve(words, env);
      const client = createClient({ url: server.url, apiKey: API_KEY });
      const rows = await Array.fromAsync(rowsOf(await resumeQuery(client, first.queryRunId)));
      expect(rows).toMatchObject([{ word: "first" }]);
      await server.end("SIGTERM");
    };
    await firstWord(["--config", "servers.json", "--data-dir", "server 1"]);
    await run("--to-data-dir ./again");
    await firstWord(["--data-dir", "again"]);

    await run("pg_dump");
    await execute(store, "DROP SCHEMA quern CASCADE");
    await emptyBucket(storage, "service");
    await run("pg_restore");
    await cp(join(folder, "server 1"), join(folder, "server 2"), {
      recursive: true,
      filter: (path) => !path.includes("result-cache"),
    });
    await firstWord(["--config", "servers.json", "--data-dir", "server 2"]);
  });

/** Returns the commands of the guide that contain a text, with the addresses of a test. */
function movingSnippet(text: string, store: string, results: string): Snippet {
  const [found, ...others] = snippets(movingGuide).filter(({ code }) => code.includes(text));
  if (found === undefined || others.length > 0) throw new Error(`${movingGuide} must have one snippet with ${text}`);
  const code = found.code.replaceAll("postgres://quern@db.example.com/quern", store);
  // The stand-in of `aws` knows the buckets of the guide.
  return { ...found, code: code.includes("aws ") ? code : code.replaceAll("s3://bucket/prefix", results) };
}
