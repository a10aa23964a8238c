import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { parseAddress } from "../../src/store/address.ts";
import { describeOnPostgres, execute, openStore, urlOf } from "./fixture.ts";

const secret = "s3cr3t-pa55word";

await describeOnPostgres("the start of a store", (server) => {
  let count = 0;

  /** Creates an empty database. */
  async function emptyDatabase(): Promise<string> {
    const name = `empty_${++count}`;
    await server.postgres.run(`CREATE DATABASE ${name}`);
    return urlOf(server.postgres, name);
  }

  /** Returns the message of a failed start, which must be one line without the password. */
  async function refusal(url: string, password?: string): Promise<string> {
    const error: unknown = await openStore(url, password === undefined ? {} : { password }).then(
      (store) => store.close(),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Error)) throw new Error("the store was opened");
    expect(error.message).not.toContain("\n");
    for (let each: unknown = error; each instanceof Error; each = each.cause)
      expect(JSON.stringify([each.message, { ...each }])).not.toContain(secret);
    return error.message;
  }

  it("creates the schema once, however many servers start, and refuses another one", async () => {
    const url = await emptyDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(url)));
    for (const store of stores) await store.close();
    await (await openStore(url)).close();
    await execute(url, "UPDATE quern.schema_digest SET digest = 'other'");
    expect(await refusal(url)).toMatch(
      /^PostgreSQL at 127\.0\.0\.1:\d+\/empty_\d+ has the schema of another version of Quern; start that version, or configure an empty database\.$/,
    );
  });

  it("refuses a database that was not created by Quern, and changes nothing in it", async () => {
    const foreign = await emptyDatabase();
    await execute(foreign, "CREATE TABLE orders (id integer)");
    expect(await refusal(foreign)).toMatch(/has tables of another service; configure an empty database/);
    expect(await execute(foreign, "SELECT to_regnamespace('quern') AS schema")).toEqual([{ schema: null }]);

    const other = await emptyDatabase();
    await execute(other, "CREATE SCHEMA quern; CREATE TABLE quern.orders (id integer)");
    expect(await refusal(other)).toMatch(/has a schema named quern that was not created by Quern/);
  });

  it("names both times if the clock of the machine or of the database is wrong, and changes nothing", async () => {
    onTestFinished(() => void vi.useRealTimers());
    const url = await emptyDatabase();
    for (const minutes of [-60, -6, 6, 60]) {
      vi.useFakeTimers({ toFake: ["Date"], now: performance.timeOrigin + performance.now() + minutes * 60_000 });
      const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
      const text = `^Wrong clock: it is (${time}) for PostgreSQL at 127\\.0\\.0\\.1:\\d+/empty_\\d+, and (${time}) on this machine; synchronize both clocks\\.$`;
      const [, database = "", machine = ""] = new RegExp(text).exec(await refusal(url)) ?? [];
      expect(Math.round((Date.parse(machine) - Date.parse(database)) / 60_000)).toBe(minutes);
    }
    expect(await execute(url, "SELECT to_regnamespace('quern') AS schema")).toEqual([{ schema: null }]);
    vi.useFakeTimers({ toFake: ["Date"], now: performance.timeOrigin + performance.now() + 4 * 60_000 });
    await (await openStore(url)).close();
  });

  it("shares a database whose administrator has created the schema", async () => {
    const url = await emptyDatabase();
    await execute(url, "CREATE TABLE orders (id integer); CREATE SCHEMA quern");
    const store = await openStore(url);
    expect(await store.counts()).toMatchObject({ ready: 0 });
    await store.close();
  });

  it("names what is wrong with the address, the user or the database", async () => {
    const url = await emptyDatabase();
    const changed = (change: Partial<URL>) => Object.assign(new URL(url), { password: secret, ...change }).href;
    expect(await refusal(changed({ port: "1" }))).toMatch(/^PostgreSQL at 127\.0\.0\.1:1\/.*\(ECONNREFUSED\)/);
    expect(await refusal(changed({ hostname: "no-such-host.invalid" }))).toMatch(
      /no-such-host\.invalid:.*\((ENOTFOUND|EAI_AGAIN)\)/,
    );
    expect(await refusal(changed({ pathname: "/missing" }))).toMatch(/the database does not exist/);
    expect(await refusal(changed({ username: "nobody_known" }))).toMatch(/refuses the user/);
    await execute(url, "CREATE USER limited");
    expect(await refusal(changed({ username: "limited" }))).toMatch(/may not create the schema quern/);
    expect(await refusal(`not a url ${secret}`)).toMatch(/^Invalid URL of a PostgreSQL database/);
    expect(await refusal(`mysql://user:${secret}@host/db`)).toMatch(/^Invalid URL of a PostgreSQL database/);
    expect(await refusal(`postgres://user:${secret}@host/db?sslrootcert=/missing.pem`)).toMatch(
      /names cannot be read \(ENOENT\)/,
    );
  });

  it("runs the example of the README", async () => {
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
    const example = readme.match(/```js\n(.*?)```/s)?.[1] ?? "";
    const options = { cwd: import.meta.dirname, env: { ...process.env, STORE_URL: await emptyDatabase() } };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", example], options);
    expect(stdout).toContain("ready: 0");
  });

  it("refuses a wrong password without quoting it", async () => {
    const url = await emptyDatabase();
    await execute(
      url,
      `CREATE USER locked PASSWORD '${secret}x'; GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO locked`,
    );
    const [{ hba_file: file } = {}] = await execute(url, "SHOW hba_file");
    await execute(
      url,
      `COPY (SELECT 'host all locked 127.0.0.1/32 scram-sha-256' UNION ALL SELECT 'host all all 127.0.0.1/32 trust') TO '${file}'`,
    );
    await execute(url, "SELECT pg_reload_conf()");
    const locked = Object.assign(new URL(url), { username: "locked" }).href;
    await expect.poll(() => refusal(locked, secret)).toMatch(/refuses the password; check the user and the password/);
    const store = await openStore(locked, { password: `${secret}x` });
    await store.close();
  });
});
