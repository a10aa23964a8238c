import { expect, it } from "vitest";
import { execute, urlOf } from "../../postgres/test/store/fixture.ts";
import { createTestClient } from "../../server/test/fixture.ts";
import { createPlaces, type Places } from "./moving/places.ts";
import { credentials } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

const key = "qk_first";
const secret = "s3cr3t-pa55word";
const csv = ["--format", "csv"];
/** Longest wait for what happens soon; a test that passes does not wait for it. */
const soon = { timeout: 60_000, interval: 1_000 };

/** Runs a command that must succeed. Returns its output. */
async function output({ run, shared }: Places, ...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(words, shared);
  expect(status, `${words.join(" ")}: ${stderr}`).toBe(0);
  return stdout;
}

/** Returns the HTTP status of a call with a key. */
async function statusOf(url: string, apiKey: string): Promise<number> {
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] });
  return (await fetch(`${url}/json-rpc`, { method: "POST", headers, body })).status;
}

/** Creates a user of the database whose password PostgreSQL checks. Returns the address of the store for it. */
async function createLockedUser({ postgres }: Places): Promise<string> {
  await execute(postgres.url, `CREATE USER locked SUPERUSER PASSWORD '${secret}'`);
  const [{ hba_file: file } = {}] = await execute(postgres.url, "SHOW hba_file");
  const lines = ["host all locked 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"];
  await execute(postgres.url, `COPY (SELECT unnest(ARRAY['${lines.join("','")}'])) TO '${file}'`);
  await execute(postgres.url, "SELECT pg_reload_conf()");
  return Object.assign(new URL(postgres.url), { username: "locked" }).href;
}

if (!hasVersitygw())
  it.skip("no servers on a database and a bucket are administered here: the machine lacks go"); // as its name says
else {
  it("administers two servers on PostgreSQL and a bucket with the commands of a service", async () => {
    await using places = await createPlaces();
    const { serve, shared, storage } = places;
    const env = { ...shared, QUERN_API_KEY: key };
    const one = await serve(["--data-dir", "one"], env);
    const other = await serve(["--data-dir", "other"], env);
    const { id } = await createTestClient(one.url, key).run("select 42 as n");
    expect((await createTestClient(other.url, key).results({ queryRunId: id })).rows).toEqual([[42]]);

    const issued = (await output(places, "keys", "issue", "--user", "ann", "--tenant", "acme")).trim();
    for (const { url } of [one, other]) expect(await createTestClient(url, issued).rows("select 1")).toEqual([[1]]);
    expect(await output(places, "keys", "list", ...csv)).toContain("acme,ann,active");
    await output(places, "tenants", "set", "acme", "--max-running-runs", "2");
    expect(await output(places, "tenants", "list", ...csv)).toMatch(/^acme,.*,2,/m);
    // Servers write the usage of their runs once a second.
    const usage = (): Promise<string> => output(places, "usage", ...csv);
    await expect.poll(usage, soon).toMatch(/tenant_first,user_first,[\d.]+,1,1,/);
    await expect.poll(usage, soon).toMatch(/acme,ann,[\d.]+,2,2,/);

    const results = async (): Promise<readonly string[]> =>
      (await storage.keys("service")).filter((each) => each.includes(id));
    expect(await results()).toHaveLength(1);
    const erased = await output(places, "erase", "--tenant", "tenant_first", "--user", "user_first");
    expect(erased).toMatch(/^erased runs: 1$/m);
    expect(await results()).toEqual([]);
    expect(await execute(places.postgres.url, "SELECT user_id FROM quern.runs")).toEqual([
      { user_id: "ann" },
      { user_id: "ann" },
    ]);

    const { stdout } = await places.run(["doctor", "--data-dir", "one", ...csv], shared);
    expect(stdout).toContain("store,true,The store can be reached.");
    expect(stdout).toContain("results,true,The results can be reached.");
    const keyId = /^(key_\w+),.*acme,ann/m.exec(await output(places, "keys", "list", ...csv))?.[1] ?? "";
    await output(places, "keys", "revoke", keyId);
    for (const { url } of [one, other]) await expect.poll(() => statusOf(url, issued), soon).toBe(401);
    for (const server of [one, other]) await server.end("SIGTERM");
  });

  it("refuses a wrong password, database, bucket and secret in one line at the start, without a secret", async () => {
    await using places = await createPlaces();
    const { run, serve, shared, postgres, storage } = places;
    const locked = await createLockedUser(places);
    await (await serve(["--data-dir", "first"], { ...shared, QUERN_API_KEY: key })).end("SIGTERM");
    await postgres.run("CREATE DATABASE another");
    const wrong: Readonly<Record<string, readonly [Readonly<Record<string, string>>, RegExp]>> = {
      password: [{ QUERN_STORE: locked, QUERN_STORE_PASSWORD: "wrong-password" }, /refuses the password/],
      "no password": [{ QUERN_STORE: locked }, /asks for a password/],
      database: [{ QUERN_STORE: urlOf(postgres, "missing") }, /\/missing: the database does not exist/],
      port: [{ QUERN_STORE: "postgres://reader@127.0.0.1:1/postgres" }, /127\.0\.0\.1:1.*ECONNREFUSED/],
      bucket: [{ QUERN_RESULTS: `s3://no-such-bucket?endpoint=${storage.endpoint}` }, /Unknown bucket: no-such-bucket/],
      "secret key": [{ AWS_SECRET_ACCESS_KEY: "wrong-secret" }, /Access to s3:\/\/service .* denied/],
      service: [{ QUERN_STORE: urlOf(postgres, "another") }, /has the results of another service/],
    };
    for (const [name, [change, message]] of Object.entries(wrong)) {
      const ended = await run(["serve", "--port", "0", "--data-dir", name], {
        ...shared,
        QUERN_API_KEY: key,
        ...change,
      });
      expect(ended, name).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(message) });
      expect(ended.stderr.trim().split("\n"), name).toHaveLength(1);
      expect(ended.stderr, name).not.toMatch(/wrong-(?:password|secret)|s3cr3t|\n\s+at /);
      expect(ended.stderr, name).not.toContain(credentials.secretAccessKey);
    }
    const right = { ...shared, QUERN_API_KEY: key, QUERN_STORE: locked, QUERN_STORE_PASSWORD: secret };
    await (await serve(["--data-dir", "second"], right)).end("SIGTERM");
  });
}
