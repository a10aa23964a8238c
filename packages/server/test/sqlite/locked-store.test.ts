import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

it("serves reads while another process has locked it, and changes afterwards", async () => {
  await using server = await startServer();
  const { id } = await server.run("select 42");
  const fresh = await caller(server, { scopes: ["run", "read", "tenant:admin"] });
  const other = new DatabaseSync(join(server.dataDir, "quern.db"));
  other.exec("BEGIN IMMEDIATE");
  // The first use of a key is recorded.
  expect((await fresh.call("getQueryRunResults", { queryRunId: id })).result).toMatchObject({ rows: [[42]] });
  const created = fresh.call("createQueryRun", { sql: "select 43" });
  expect((await fresh.call("listQueryRuns")).result).toMatchObject({ queryRuns: [{ id }] });
  other.exec("ROLLBACK");
  other.close();
  expect((await created).error).toBeUndefined();
});
