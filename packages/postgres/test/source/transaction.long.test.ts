import { afterAll, beforeAll, expect, it } from "vitest";
import { execute } from "../store/fixture.ts";
import { describeOnSource, openParts, type Parts, resultOf, sourceOf } from "./fixture.ts";

await describeOnSource("the transaction of a statement on PostgreSQL", (postgres) => {
  let parts: Parts;
  const asWriter = sourceOf(postgres, "quern_writer");
  beforeAll(async () => {
    await postgres.run(
      "CREATE ROLE quern_writer LOGIN",
      "CREATE TABLE visits (id int)",
      "GRANT SELECT, INSERT ON visits TO quern_writer",
      "CREATE VIEW settings AS SELECT name, setting FROM pg_settings",
      "GRANT SELECT ON settings TO quern_writer",
      "CREATE FUNCTION wait(s float8) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(s); RETURN 1; END'",
      "CREATE FUNCTION visit() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO visits VALUES (1); RETURN 1; END'",
    );
    parts = await openParts();
  });
  afterAll(() => parts.close());

  it("only reads, also if the role may write and the gate does not know the function that does", async () => {
    const count = async () => (await execute(postgres.url, "SELECT count(*)::int AS n FROM visits"))[0]?.n;
    const { href } = Object.assign(new URL(postgres.url), { username: "quern_writer" });
    await execute(href, "SELECT visit()");
    expect(await count()).toBe(1);
    for (const sql of ["SELECT visit()", "SELECT n FROM generate_series(1, 3) AS n WHERE visit() = 1"])
      await expect(resultOf(parts, asWriter, sql)).rejects.toMatchObject({
        failure: {
          message: "cannot execute INSERT in a read-only transaction (SQLSTATE 25006)",
          data: { category: "USER", retryable: false },
        },
      });
    expect(await count()).toBe(1);
    const mode = "SELECT name, setting FROM settings WHERE name LIKE '%transaction_read_only' ORDER BY name";
    expect((await resultOf(parts, asWriter, mode)).rows).toEqual([
      ["default_transaction_read_only", "on"],
      ["transaction_read_only", "on"],
    ]);
  });

  it("ends a statement after its timeout and a margin, if nothing else does", async () => {
    const limits = { timeoutSeconds: 1, maxResultBytes: 1e9, maxResultRows: 1e6 };
    const setting = "SELECT setting FROM settings WHERE name = 'statement_timeout'";
    expect((await resultOf(parts, asWriter, setting, { limits })).rows).toEqual([["6000"]]);
    await expect(resultOf(parts, asWriter, "SELECT wait(600)", { limits })).rejects.toMatchObject({
      failure: { name: "QueryCanceled", message: expect.stringContaining("statement timeout") },
    });
  });
});
