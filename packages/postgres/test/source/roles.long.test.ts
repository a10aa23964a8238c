import { EngineLostError } from "@quern/adapter";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkSource } from "../../src/source/source-kind.ts";
import { execute, urlOf } from "../store/fixture.ts";
import { becomes, describeOnSource, openParts, type Parts, resultOf, sourceOf, statementOf } from "./fixture.ts";
import { hostileStatements } from "./hostile-statements.ts";

const signal = new AbortController().signal;

await describeOnSource("roles of a source of PostgreSQL", (postgres) => {
  let parts: Parts;
  const asUser = sourceOf(postgres, "quern_{user}", { runAs: "user" });
  beforeAll(async () => {
    await postgres.run(
      "CREATE ROLE quern_ada LOGIN",
      "CREATE ROLE quern_bob LOGIN",
      "CREATE ROLE quern_eve LOGIN",
      "GRANT quern_ada TO quern_eve",
      "CREATE TABLE orders (owner text, id int)",
      "INSERT INTO orders VALUES ('quern_ada', 1), ('quern_bob', 2), ('quern_bob', 3)",
      "ALTER TABLE orders ENABLE ROW LEVEL SECURITY",
      "CREATE POLICY own ON orders USING (owner = session_user AND owner = current_user)",
      "GRANT SELECT ON orders TO quern_ada, quern_bob, quern_eve",
    );
    parts = await openParts();
  });
  afterAll(() => parts.close());

  it("runs the statements of each user in the role of this user", async () => {
    const sql = "SELECT id FROM orders ORDER BY id";
    expect((await resultOf(parts, asUser, sql, { userId: "ada" })).rows).toEqual([[1]]);
    expect((await resultOf(parts, asUser, sql, { userId: "bob" })).rows).toEqual([[2], [3]]);
  });

  it("shows a user no rows of others through a change of the role, also if the gate let it pass", async () => {
    const sql = "SELECT set_config('role', 'none', true), query_to_xml('SELECT * FROM orders', true, true, '')";
    await expect(resultOf(parts, asUser, sql, { userId: "ada" })).rejects.toMatchObject({
      failure: { name: "StatementNotAllowed" },
    });
    const url = postgres.url.replace("//reader@", "//quern_ada@");
    expect(JSON.stringify(await execute(url, sql))).toContain("quern_ada");
    expect(JSON.stringify(await execute(url, sql))).not.toContain("quern_bob");
    for (const role of ["reader", "quern_bob"]) await expect(execute(url, `SET ROLE ${role}`)).rejects.toThrow();
  });

  it("refuses roles of users that are members of others, that do not exist, or that no user can have", async () => {
    const failureOf = (userId: string) =>
      resultOf(parts, asUser, "SELECT 1", { userId }).then(String, (error) => error);
    expect(await failureOf("eve")).toMatchObject({
      failure: { name: "AccessDenied", data: { category: "DATA_SOURCE" } },
    });
    expect(await failureOf("nobody")).toMatchObject({ failure: { name: "AccessDenied" } });
    for (const userId of ["a/../b", "ada@x/y", "a b", "", "a".repeat(60)])
      expect(await failureOf(userId)).toMatchObject({ failure: { name: "AccessDenied" } });
  });

  it("refuses a role that can change the server", async () => {
    await expect(resultOf(parts, sourceOf(postgres, "reader"), "SELECT 1")).rejects.toMatchObject({
      failure: { name: "AccessDenied", message: expect.stringContaining("The role reader") },
    });
  });

  it("refuses a role that reaches the server or other sessions, also as a member of a role that does", async () => {
    await postgres.run(
      "CREATE ROLE operators",
      "CREATE ROLE quern_operator LOGIN",
      "GRANT operators TO quern_operator",
    );
    const source = sourceOf(postgres, "quern_operator");
    const message = async (): Promise<unknown> =>
      resultOf(parts, source, "SELECT 1").then(String, (error) => error.failure?.message ?? error);
    for (const right of ["pg_execute_server_program", "pg_write_server_files", "pg_monitor", "pg_write_all_data"]) {
      await postgres.run(`GRANT ${right} TO operators`);
      const shown = right === "pg_monitor" ? "pg_read_all_stats" : right;
      const expected = `The role quern_operator of the data source shop has the rights of ${shown}; revoke them, or use a role that may only read.`;
      expect(await message()).toBe(expected);
      await expect(parts.kind.checkRole?.(source, signal)).rejects.toMatchObject({ failure: { message: expected } });
      await postgres.run(`REVOKE ${right} FROM operators`);
    }
    await parts.kind.checkRole?.(source, signal);
    expect(await message()).toBe("[object Object]");
  });

  it("shows the statement and the values of a caller to no other caller of the role", async () => {
    const source = sourceOf(postgres);
    const secret = "value-of-ada";
    const sql = "SELECT count(*) FROM generate_series(1, 1000000000) AS n WHERE n::text <> $secret";
    const more = { parameters: { secret } };
    const execution = await parts.kind.begin(await statementOf(parts, source, sql, more), signal);
    const ended = execution.result().catch((error: unknown) => error);
    const running = () => execute(postgres.url, "SELECT query FROM pg_stat_activity WHERE query LIKE '%1000000000%'");
    await becomes(async () => expect(JSON.stringify(await running())).toContain("FROM generate_series"));
    // Without the gate, the other caller would see the text.
    const { href } = Object.assign(new URL(postgres.url), { username: "quern_reader" });
    const seen = JSON.stringify(await execute(href, "SELECT * FROM pg_stat_activity"));
    expect(seen).toContain("n::text <> $1");
    expect(seen).not.toContain(secret);
    for (const spying of [
      "SELECT query FROM pg_stat_activity",
      'SELECT query FROM pg_catalog."pg_stat_activity"',
      "SELECT query FROM pg_stat_get_activity(NULL)",
      "SELECT pg_stat_get_backend_activity(n) FROM generate_series(1, 99) AS n",
      "SELECT (1).pg_stat_get_backend_activity",
      "SELECT * FROM pg_stat_get_progress_info('COPY'), pg_locks, pg_prepared_xacts",
    ])
      await expect(resultOf(parts, source, spying, { userId: "bob" })).rejects.toMatchObject({
        failure: { name: "StatementNotAllowed" },
      });
    await execution.release();
    await ended;
  });

  it("runs none of the hostile statements, and changes nothing", async () => {
    const state = () => execute(postgres.url, "SELECT count(*), sum(id) FROM orders");
    const before = await state();
    for (const sql of hostileStatements)
      await expect(resultOf(parts, sourceOf(postgres), sql)).rejects.toMatchObject({ name: "StatementError" });
    expect(await state()).toEqual(before);
  });

  it("lets the role change nothing by the same statements without the gate", async () => {
    const state = () => execute(postgres.url, "SELECT count(*), sum(id) FROM orders");
    const before = await state();
    const url = postgres.url.replace("//reader@", "//quern_reader@");
    for (const sql of hostileStatements) await execute(url, `BEGIN READ ONLY; ${sql}`).catch(() => {});
    expect(await state()).toEqual(before);
    const roles = "SELECT rolname FROM pg_roles WHERE rolsuper AND rolname LIKE 'quern%'";
    expect(await execute(postgres.url, roles)).toEqual([]);
  });

  it("cancels no query of another connection that has the same process id", async () => {
    const source = sourceOf(postgres);
    const execution = await parts.kind.begin(
      await statementOf(parts, source, "SELECT n FROM generate_series(1, 300000) AS n"),
      signal,
    );
    const [pid = "", started = ""] = execution.engineQueryId?.split("/") ?? [];
    await parts.kind.cancel(source, `${pid}/${Number(started) - 1}`);
    await expect(execution.result()).resolves.toMatchObject({ form: "encoded" });
    await execution.release();
  });

  it("cancels a query that has not begun yet", async () => {
    const { href } = Object.assign(new URL(postgres.url), { username: "quern_reader" });
    const client = new pg.Client(href);
    const ended = new Promise((resolve) => client.on("error", resolve));
    await client.connect();
    const { rows } = await client.query(
      `SELECT pid || '/' || (extract(epoch FROM backend_start) * 1000000)::int8 AS id
        FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
    );
    await parts.kind.cancel(sourceOf(postgres), rows[0].id);
    expect(await ended).toMatchObject({ code: "57P01" });
  });

  it("cancels the query of a user in the role of the user", async () => {
    const sql = "SELECT count(*) FROM generate_series(1, 1000000000)";
    const execution = await parts.kind.begin(await statementOf(parts, asUser, sql, { userId: "bob" }), signal);
    expect(execution.engineQueryId).toMatch(/^\d+\/\d+\/bob$/);
    const ended = execution.result().catch((error: unknown) => error);
    await parts.kind.cancel(asUser, execution.engineQueryId ?? "");
    expect(await ended).toBeInstanceOf(EngineLostError);
    await execution.release();
  });

  it("leaves no connection behind", async () => {
    const connections = () =>
      execute(urlOf(postgres, "postgres"), "SELECT usename FROM pg_stat_activity WHERE application_name = 'quern'");
    await becomes(async () => expect(await connections()).toEqual([]));
  });
});

it("refuses an address without a user, without {user} for users, or with it for one role", () => {
  const base = { name: "shop", provider: "test", kind: "postgres", path: null, lowerCaseColumns: false };
  expect(() => checkSource(base)).toThrow("Missing address of the data source shop");
  expect(() => checkSource({ ...base, address: "mysql://a@b/c" })).toThrow("Invalid URL of a PostgreSQL database");
  expect(() => checkSource({ ...base, address: "postgres://a@b/c", runAs: "user" })).toThrow("write {user}");
  expect(() => checkSource({ ...base, address: "postgres://{user}@b/c" })).toThrow("needs --run-as user");
  checkSource({ ...base, address: "postgres://quern_{user}@b/c", runAs: "user" });
});
