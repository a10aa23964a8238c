import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createSourceKind } from "@quern/trino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../duckdb/test/sources/postgres.ts";
import { eventually, startServer, temporaryDirectory } from "../../server/test/fixture.ts";
import { startServerProcess } from "../../server/test/server-process.ts";
import { type RestartableTrino, startRestartableTrino } from "./engine/restartable.ts";
import { missingProgram } from "./engine/trino.ts";
import { withoutSecrets } from "./fixture.ts";
import { queryInfo, samples, unfinishedQueries } from "./samples.ts";

const reason = missingProgram();

/** Times for the reader. No test asserts them. */
function print(subject: string, since: number): void {
  console.log(`${subject}: ${Math.round(performance.now() - since)} ms`);
}

if (reason !== undefined)
  it.skip(`Trino does not run here: ${reason}`); // as its name says
else
  describe("the service on Trino", () => {
    const patience = 180_000;
    let trino: RestartableTrino;
    let directory: string;
    let address: string;
    beforeAll(async () => {
      directory = await temporaryDirectory();
      trino = await startRestartableTrino();
      address = trino.address("reader", "tpch/tiny");
    });
    afterAll(async () => {
      await trino?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });

    const startOnTrino = () => {
      const log = { error: () => {} }; // it reports the Trino that the test kills
      const sourceKinds = { trino: createSourceKind(withoutSecrets) };
      return startServer({ sources: [{ name: "lake", provider: "trino", kind: "trino", address }], sourceKinds, log });
    };
    const isCanceled = async (id: string): Promise<boolean> => {
      const { state, errorCode } = await queryInfo(trino.http, id);
      return state === "FAILED" && errorCode?.name === "USER_CANCELED";
    };
    /** Waits until Trino executes the query of a run, and returns its id. */
    const queryOf = async (
      { get }: Pick<Awaited<ReturnType<typeof startOnTrino>>, "get">,
      runId: string,
      before = "",
    ) => {
      let id: string | null = null;
      await eventually(async () => {
        id = (await get(runId)).dataSourceQueryId;
        return id !== null && id !== before;
      }, patience);
      return String(id);
    };

    it("cancels on Trino the query of a run that is canceled", async () => {
      await using server = await startOnTrino();
      const { queryRun } = await server.create({ sql: samples.endless });
      const id = await queryOf(server, queryRun.id);
      expect(await unfinishedQueries(trino.http)).toEqual([id]);
      const since = performance.now();
      await server.call("cancelQueryRun", { queryRunId: queryRun.id });
      await eventually(() => isCanceled(id), patience);
      print("from cancelQueryRun until Trino has canceled the query", since);
      expect((await server.get(queryRun.id, 30)).state).toBe("QUERY_STATE_CANCELED");
      expect(await unfinishedQueries(trino.http)).toEqual([]);
    });

    it("leaves no query of a killed server: another server cancels it after the lease, and executes the run", async () => {
      await using postgres = await startPostgres();
      Object.assign(process.env, { QUERN_TEST_TRINO: address, QUERN_TEST_STORE: postgres.url });
      const start = async (name: string) => {
        const server = await startServerProcess(join(directory, name), "../../trino/test/serve-process.ts");
        onTestFinished(() => void server.process.kill("SIGKILL")); // one that a failed test did not end
        return server;
      };
      const killed = await start("first");
      const { queryRun } = await killed.create({ sql: samples.endless });
      const orphan = await queryOf(killed, queryRun.id);
      const other = await start("second");
      const since = performance.now();
      await killed.end("SIGKILL");
      await eventually(() => isCanceled(orphan), patience);
      print("from the end of a server with a lease of 3 s until Trino has canceled its query", since);
      const next = await queryOf(other, queryRun.id, orphan);
      expect(await unfinishedQueries(trino.http)).toEqual([next]);
      await other.call("cancelQueryRun", { queryRunId: queryRun.id });
      await eventually(async () => (await unfinishedQueries(trino.http)).length === 0, patience);
      await other.end("SIGTERM");
    });

    it("fails the run whose Trino is killed, and executes the next one once Trino is back", async () => {
      await using server = await startOnTrino();
      const { queryRun } = await server.create({ sql: samples.endless });
      await queryOf(server, queryRun.id);
      await trino.kill();
      const since = performance.now();
      const unavailable = {
        state: "QUERY_STATE_FAILED",
        errorName: "DataSourceUnavailable",
        errorMessage: expect.stringMatching(/^The data source lake cannot be reached; /),
        errorData: { category: "DATA_SOURCE", retryable: true },
      };
      await eventually(async () => (await server.get(queryRun.id)).endedAt !== null, patience);
      print("from the end of Trino until its run has failed", since);
      expect(await server.get(queryRun.id)).toMatchObject(unavailable);
      expect(await server.run("SELECT 1 AS n")).toMatchObject(unavailable);
      await trino.start();
      const back = performance.now();
      await eventually(async () => (await server.run("SELECT 2 AS n")).state === "QUERY_STATE_SUCCESS", patience);
      print("from the start of Trino until a run succeeds", back);
      expect(await server.rows("SELECT count(*) AS n FROM region")).toEqual([[5]]);
    });
  });
