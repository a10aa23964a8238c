import { rm } from "node:fs/promises";
import { checkEngineSources, connectSource, removeFromSource } from "@quern/server/sources";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startServer, temporaryDirectory } from "../../../server/test/fixture.ts";
import { caller } from "../../../server/test/identity/callers.ts";
import { startServerProcess } from "../../../server/test/server-process.ts";
import { execute } from "../store/fixture.ts";
import { becomes, describeOnSource, sourceOf } from "./fixture.ts";

const endless = "SELECT count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000000000) b";

await describeOnSource("the service on a source of PostgreSQL", (postgres) => {
  let dataDir: string;
  const { address = "" } = sourceOf(postgres);
  const connect = () => connectSource({ dataDir, source: "shop" }, { kind: "postgres", from: address });
  beforeEach(async () => {
    dataDir = await temporaryDirectory();
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it("runs statements on a source that was added while it runs, and none after it was removed", async () => {
    await using server = await startServer({ dataDir, sources: undefined });
    await connect();
    const run = await server.run("SELECT 12.50::numeric(9,2) AS price", { dataSource: "shop" });
    expect(run).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 1 });
    expect(run.dataSourceQueryId).toMatch(/^\d+\/\d+$/);
    const described = await server.call("describeQuery", { sql: "SELECT 1 AS n", dataSource: "shop" });
    expect(described).toMatchObject({ columns: [{ name: "n", engineType: "integer" }] });
    await removeFromSource({ dataDir, source: "shop" });
    await expect(server.run("SELECT 1", { dataSource: "shop" })).rejects.toMatchObject({ code: -32_164 });
  });

  it("does not start with a role that has too many rights, which the check of the sources reports", async () => {
    await postgres.run("CREATE ROLE quern_program LOGIN", "GRANT pg_execute_server_program TO quern_program");
    const from = address.replace("quern_reader@", "quern_program@");
    await connectSource({ dataDir, source: "shop" }, { kind: "postgres", from });
    const problem =
      "The role quern_program of the data source shop has the rights of pg_execute_server_program; revoke them, or use a role that may only read";
    await expect(startServer({ dataDir, sources: undefined })).rejects.toThrow(problem);
    expect(await checkEngineSources(dataDir, "shop")).toMatchObject([{ ok: false, problem: `${problem}.` }]);
  });

  it("holds up no tenant of another engine, and tells why the runs of the source wait", async () => {
    const limits = { maxRunningRuns: 2, maxRunningRunsOfSource: 2 };
    const shop = { name: "shop", provider: "quern", kind: "postgres", address };
    const sources = [{ name: "local", provider: "quern" }, shop];
    await using server = await startServer({ dataDir, sources, limits });
    const busy: string[] = [];
    while (busy.length < 3) busy.push((await server.create({ sql: endless, dataSource: "shop" })).queryRun.id);
    await becomes(async () => expect((await server.get(busy[1] ?? "")).state).toBe("QUERY_STATE_RUNNING"));
    const waiting = await server.get(busy[2] ?? "");
    expect(waiting).toMatchObject({
      state: "QUERY_STATE_READY",
      waitReason: "The data source shop executes 2 runs, its limit; the run starts when one of them ends.",
    });
    const other = await caller(server, { tenant: "other" });
    const answer = await other.call("createQueryRun", { sql: "select 1", dataSource: "local", waitSeconds: 20 });
    expect(answer).toMatchObject({ result: { queryRun: { state: "QUERY_STATE_SUCCESS" } } });
    expect((await server.get(busy[0] ?? "")).state).toBe("QUERY_STATE_RUNNING");
    for (const queryRunId of busy) await server.call("cancelQueryRun", { queryRunId });
  });

  it("ends the query of a run that is canceled", async () => {
    await connect();
    await using server = await startServer({ dataDir, sources: undefined });
    const { queryRun } = await server.create({ sql: endless });
    const running = () => execute(postgres.url, "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY%'");
    await becomes(async () => expect(await running()).toHaveLength(1));
    await server.call("cancelQueryRun", { queryRunId: queryRun.id });
    await becomes(async () => expect(await running()).toEqual([]));
  });

  it("fails runs while PostgreSQL is stopped, also one that executes then, and works after it started", async () => {
    await connect();
    await using server = await startServer({ dataDir, sources: undefined });
    expect((await server.run("SELECT 1")).state).toBe("QUERY_STATE_SUCCESS");
    const { queryRun } = await server.create({ sql: endless });
    await becomes(async () => expect((await server.get(queryRun.id)).dataSourceQueryId).not.toBeNull());
    await postgres.stop();
    const unavailable = {
      state: "QUERY_STATE_FAILED",
      errorName: "DataSourceUnavailable",
      errorData: { category: "DATA_SOURCE", retryable: true },
    };
    await becomes(async () => expect(await server.get(queryRun.id)).toMatchObject(unavailable));
    const failed = await server.run("SELECT 2");
    expect(failed).toMatchObject(unavailable);
    expect(failed.errorMessage).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/);
    await postgres.start();
    await becomes(async () => expect((await server.run("SELECT 3")).state).toBe("QUERY_STATE_SUCCESS"));
  });

  it("executes the run of a killed server again, and leaves no query of it behind", async () => {
    await connect();
    const script = new URL("./serve-process.ts", import.meta.url).href;
    const first = await startServerProcess(dataDir, script);
    const { queryRun } = await first.create({ sql: endless });
    await becomes(async () => expect((await first.get(queryRun.id)).dataSourceQueryId).not.toBeNull());
    const { dataSourceQueryId: before } = await first.get(queryRun.id);
    await first.end("SIGKILL");
    const second = await startServerProcess(dataDir, script);
    const pids = async () => {
      const rows = await execute(postgres.url, "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY%'");
      return rows.map(({ pid }) => String(pid));
    };
    await becomes(async () => {
      const { dataSourceQueryId: after } = await second.get(queryRun.id);
      expect(after).not.toBeNull();
      expect(after).not.toBe(before);
      expect(await pids()).toEqual([after?.split("/")[0]]);
    });
    await second.call("cancelQueryRun", { queryRunId: queryRun.id });
    await second.end("SIGTERM");
    await becomes(async () => expect(await pids()).toEqual([]));
  });
});
