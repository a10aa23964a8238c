import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { binary, firstLine } from "../../../cli/test/quern.ts";
import { apiKey, createTestClient, temporaryDirectory } from "../../../server/test/fixture.ts";
import { execute } from "../store/fixture.ts";
import { becomes, describeOnSource, sourceOf } from "./fixture.ts";

await describeOnSource("the password of a source of PostgreSQL", (postgres) => {
  // Random, because the test reads the command lines of all processes of the machine.
  const secret = randomUUID();
  const seen: string[] = [];
  const children = new Set<ChildProcess>();
  let directory: string;
  let file: string;
  let watcher: NodeJS.Timeout;
  const { address = "" } = sourceOf(postgres, "quern_locked");

  async function watch(): Promise<void> {
    for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      const words = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
      if (words.includes(secret)) seen.push(words);
    }
  }

  beforeAll(async () => {
    directory = await temporaryDirectory();
    file = join(directory, "password");
    await writeFile(file, `${secret}\n`);
    await execute(
      postgres.url,
      `CREATE ROLE quern_locked LOGIN PASSWORD '${secret}'; GRANT pg_read_all_data TO quern_locked`,
    );
    const [{ hba_file: rules } = {}] = await execute(postgres.url, "SHOW hba_file");
    const lines = ["host all quern_locked 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"];
    await execute(postgres.url, `COPY (SELECT unnest(ARRAY['${lines.join("','")}'])) TO '${rules}'`);
    await execute(postgres.url, "SELECT pg_reload_conf()");
    watcher = setInterval(() => void watch(), 100);
  });
  afterAll(async () => {
    clearInterval(watcher);
    for (const child of children) child.kill("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts the command line as a process, whose output is collected. */
  function start(...words: readonly string[]) {
    const env = { PATH: process.env.PATH, QUERN_API_KEY: apiKey, SHOP_PASSWORD: secret };
    const flags = [binary, ...words, "--data-dir", join(directory, "data")];
    const child = spawn(process.execPath, flags, { env, stdio: ["ignore", "pipe", "pipe"] });
    children.add(child);
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]).then(
      ([stdout, stderr]) => ({ status: child.exitCode, stdout, stderr, output: `${stdout}${stderr}` }),
    );
    return { child, stdout: child.stdout, ended };
  }

  async function serve(): Promise<{ readonly url: string; readonly stop: () => Promise<string> }> {
    const { child, stdout, ended } = start("serve", "--port", "0", "--json");
    const { url } = JSON.parse(await firstLine({ stdout, ended }));
    const stop = async (): Promise<string> => {
      child.kill("SIGTERM");
      return (await ended).output;
    };
    return { url, stop };
  }

  it("is in no command line and no output of the commands and the service", async () => {
    const outputs: string[] = [];
    for (const place of [
      ["--password-file", file],
      ["--password-variable", "SHOP_PASSWORD"],
    ]) {
      const added = await start("sources", "add", "shop", address, "--kind", "postgres", ...place).ended;
      expect(added).toMatchObject({ status: 0 });
      const checked = await start("sources", "check", "shop").ended;
      expect(checked).toMatchObject({ status: 0 });
      const { url, stop } = await serve();
      const { rows, run } = createTestClient(url);
      expect(await rows("SELECT current_user::text AS me")).toEqual([["quern_locked"]]);
      expect(await run("SELECT colour FROM nothing")).toMatchObject({ errorName: "UndefinedTable" });
      outputs.push(added.output, checked.output, await stop());
    }
    expect(outputs.join("")).not.toContain(secret);
    expect(seen).toEqual([]);
    // The watcher sees a password in a command line.
    const careless = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)", secret]);
    await becomes(async () => expect(seen).not.toEqual([]));
    careless.kill("SIGKILL");
  });

  it("that is wrong fails runs and checks with a message that does not have it", async () => {
    const wrong = `${randomUUID()}`;
    await writeFile(file, wrong);
    expect(
      await start("sources", "add", "shop", address, "--kind", "postgres", "--password-file", file).ended,
    ).toMatchObject({
      status: 0,
    });
    const checked = await start("sources", "check", "shop", "--format", "csv").ended;
    expect(checked.status).not.toBe(0);
    expect(checked.stdout).toContain("it refuses the user or the password (28P01); check the user");
    const { url, stop } = await serve();
    const failed = await createTestClient(url).run("SELECT 1 AS n");
    expect(failed).toMatchObject({
      state: "QUERY_STATE_FAILED",
      errorName: "DataSourceUnavailable",
      errorMessage: expect.not.stringContaining("quern_locked"),
      errorData: { category: "DATA_SOURCE" },
    });
    await writeFile(file, secret);
    expect((await createTestClient(url).run("SELECT 2 AS n")).state).toBe("QUERY_STATE_SUCCESS");
    const outputs = [checked.output, JSON.stringify(failed), await stop()].join("");
    for (const each of [wrong, secret]) expect(outputs).not.toContain(each);
  });
});
