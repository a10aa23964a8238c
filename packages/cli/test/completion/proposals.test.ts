import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { describe, expect, it } from "vitest";
import { quern, quernOn } from "../quern.ts";

const noService = { QUERN_URL: "http://127.0.0.1:9", QUERN_API_KEY: "qk_none" };

/** Proposals for the last word, and the kind of files, as the scripts of the shells read them. */
async function proposed(words: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr } = await quern(["__complete", String(words.length), ...words], env);
  expect(stderr).toBe("");
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t", 1)[0]);
}

describe("the proposals for the last word of a line", () => {
  it.each<readonly [line: readonly string[], proposals: readonly string[]]>([
    [["doc"], ["doctor", ":none"]],
    [["get-sql"], ["get-sql-statement", ":none"]],
    [["--v"], ["--version", ":none"]],
    [["--prof"], ["--profile", ":none"]],
    [
      ["--profile", "test", "doc"],
      ["doctor", ":none"],
    ],
    [
      ["--profile=test", "runs", "li"],
      ["list", ":none"],
    ],
    [
      ["--profile", "test", "select 1", "--max-r"],
      ["--max-rows", ":none"],
    ],
    [["--profile", ""], [":none"]],
    [
      ["help", "runs", "li"],
      ["list", ":none"],
    ],
    [
      ["runs", ""],
      ["list", "show", "cancel", "wait", ":none"],
    ],
    [
      ["query", "--max"],
      ["--max-age-minutes", "--max-rows", ":none"],
    ],
    [
      ["query", "--max-rows", "5", "--max"],
      ["--max-age-minutes", ":none"],
    ],
    [["query", "--max-rows", ""], [":none"]],
    [
      ["query", "--no-"],
      ["--no-header", "--no-progress", ":none"],
    ],
    [
      ["query", "-F", "par"],
      ["parquet", ":none"],
    ],
    [
      ["query", "--format=par"],
      ["--format=parquet", ":none"],
    ],
    [
      ["query", "--param", "a=1", "--par"],
      ["--param", ":none"],
    ],
    [
      ["select 1", "--max-r"],
      ["--max-rows", ":none"],
    ],
    [
      ["-c", "select 1", "--max-r"],
      ["--max-rows", ":none"],
    ],
    [
      ["mock", "--clock", ""],
      ["ticking", "auto", "still", ":none"],
    ],
    [
      ["get-query-run-results", "--query"],
      ["--query-run-id", ":none"],
    ],
    [
      ["runs", "list", "--state", "failed,can"],
      ["failed,canceled", ":none"],
    ],
    [["query", "--file", "rep"], [":files"]],
    [["query", "-o", ""], [":files"]],
    [["types", ""], [":files"]],
    [["serve", "--data-dir", ""], [":folders"]],
    [
      ["completion", "f"],
      ["fish", ":none"],
    ],
    [["query", "--", "--max"], [":none"]],
    [["unknown", ""], [":none"]],
    [["query", "--unknown="], [":none"]],
    // Nothing is configured, or no service answers.
    [["query", "--data-source", ""], [":none"]],
  ])("of %j are %j", async (line, proposals) => {
    expect(await proposed(line)).toEqual(proposals);
    expect(await proposed(line, noService)).toEqual(proposals);
  });

  it("are names of the service, of the address in the line", async () => {
    const mock = createMockServer();
    await using on = await quernOn(mock);
    const { stdout } = await on.run(["tables", "--format", "jsonl"]);
    const [{ name, data_source: source }] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
    await on.run(["select 1 as n"]);
    const { stdout: ids } = await on.run(["runs", "list", "--ids"]);
    expect(await proposed(["describe", name.slice(0, 2)], on.env)).toContain(name);
    expect(await proposed(["query", "--data-source", ""], on.env)).toContain(source);
    const elsewhere = { ...on.env, QUERN_URL: noService.QUERN_URL };
    expect(await proposed(["cancel", "--url", on.env.QUERN_URL, "run_"], elsewhere)).toContain(ids.trimEnd());
    expect(await proposed(["summarize", "x y"], on.env)).toEqual([":none"]);
  });

  it("are names of profiles, and of the service of the profile before the command or after it", async () => {
    const mock = createMockServer();
    await using on = await quernOn(mock);
    const folder = await mkdtemp(join(tmpdir(), "quern-completion-"));
    const file = join(folder, "config.toml");
    const key = join(folder, "key");
    await writeFile(key, on.env.QUERN_API_KEY, { mode: 0o600 });
    await writeFile(
      file,
      `[profiles.local]\nurl = "${noService.QUERN_URL}"\n` +
        `[profiles.lake]\nurl = "${on.env.QUERN_URL}"\napi_key_file = "${key}"\n`,
      { mode: 0o600 },
    );
    const env = { QUERN_CLI_CONFIG: file };
    expect(await proposed(["--profile", ""], env)).toEqual(["local", "lake", ":none"]);
    expect(await proposed(["--profile=la"], env)).toEqual(["--profile=lake", ":none"]);
    expect(await proposed(["tables", "--profile", "lo"], env)).toEqual(["local", ":none"]);
    expect(await proposed(["profiles", "use", "la"], env)).toEqual(["lake", ":none"]);
    const [name = ""] = (await on.run(["tables", "--format", "jsonl"])).stdout.split("\n");
    const table: string = JSON.parse(name).name;
    for (const line of [
      ["--profile", "lake", "describe", table.slice(0, 2)],
      ["--profile=lake", "describe", table.slice(0, 2)],
      ["describe", "--profile", "lake", table.slice(0, 2)],
    ])
      expect(await proposed(line, env)).toContain(table);
    expect(await proposed(["--profile", "local", "describe", table.slice(0, 2)], env)).toEqual([":none"]);
    await rm(folder, { recursive: true });
  });

  it("end within the bound if a service does not answer", async () => {
    const startedMs = Date.now();
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // it listens on a port
    const silent = { ...noService, QUERN_URL: `http://127.0.0.1:${port}` };
    expect(await proposed(["query", "--data-source", ""], silent)).toEqual([":none"]);
    expect(Date.now() - startedMs).toBeLessThan(3_000);
    server.close();
    server.closeAllConnections();
  });
});
