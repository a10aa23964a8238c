import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { createSourceKind } from "@quern/trino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { resultRows } from "../../duckdb/test/reader/result-rows.ts";
import { startPostgres } from "../../duckdb/test/sources/postgres.ts";
import { eventually, startServer } from "../../server/test/fixture.ts";
import { startServerProcess } from "../../server/test/server-process.ts";
import { type RestartableTrino, startRestartableTrino } from "./engine/restartable.ts";
import { missingProgram } from "./engine/trino.ts";
import { sourceAt, withoutSecrets } from "./fixture.ts";
import { contractOf, createTables, queryInfo, samples, unfinishedQueries } from "./samples.ts";

const reason = missingProgram();
const patience = 180_000;

/** Times for the reader. No test asserts them. */
function print(subject: string, since: number): void {
  console.log(`${subject}: ${Math.round(performance.now() - since)} ms`);
}

if (reason !== undefined)
  it.skip(`Trino does not run here: ${reason}`); // as its name says
else
  describe("a source on Trino, which is killed", () => {
    let trino: RestartableTrino;
    let directory: string;
    let address: string;
    let close: () => Promise<unknown>;
    const context: Record<string, SourceKindContext> = {};
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "trino-results-"));
      trino = await startRestartableTrino({ directSegments: true });
      const options = { workDirectory: directory, spillMegabytes: 100 };
      const writer = createResultWriter(options);
      const pages = { filteredPageTimeoutSeconds: 60, maxCopyBytes: 1e9, hasSpace: async () => true };
      const reader = createResultReader({ ...options, ...pages });
      const kind = createSourceKind(withoutSecrets);
      close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
      address = trino.address("reader", "tpch/tiny");
      await createTables(trino.http);
      const read: SourceKindContext["read"] = (written) => resultRows(reader, written);
      const contract = contractOf(trino.version);
      for (const [form, spooling] of Object.entries({ spooled: "true", direct: "false" })) {
        const source = sourceAt(trino.address("reader", "memory/contract", { catalogs: "tpch", spooling }));
        context[form] = { kind, source, writer, read, ...contract };
      }
    });
    afterAll(async () => {
      await close?.();
      await trino?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });

    const ofLoss = sourceKindContract.filter(({ name }) => name.startsWith("loses "));
    it.each(sourceKindContract.filter((one) => !ofLoss.includes(one)))(
      "with spooled results: $name",
      async ({ run }) => {
        if (context.spooled !== undefined) await run(context.spooled);
      },
    );

    // Other cases do not depend on the way of the rows.
    const ofRows = sourceKindContract.filter(({ name }) => /^(?:delivers|fails) /.test(name));
    it.each(ofRows)("with results in pages: $name", async ({ run }) => {
      if (context.direct !== undefined) await run(context.direct);
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
      await eventually(async () => (await unfinishedQueries(trino.http)).length === 0, patience);
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
      const unavailable = {
        state: "QUERY_STATE_FAILED",
        errorName: "DataSourceUnavailable",
        errorMessage: expect.stringMatching(/^The data source lake cannot be reached; /),
        errorData: { category: "DATA_SOURCE", retryable: true },
      };
      async function loss(): Promise<void> {
        await eventually(async () => (await server.get(queryRun.id)).endedAt !== null, patience);
        expect(await server.get(queryRun.id)).toMatchObject(unavailable);
        expect(await server.run("SELECT 1 AS n")).toMatchObject(unavailable);
      }
      let lost = Promise.resolve();
      async function stop(): Promise<void> {
        await trino.kill();
        lost = loss();
        lost.catch(() => {}); // awaited below
      }
      async function start(): Promise<void> {
        await lost;
        await trino.start();
        await createTables(trino.http);
      }
      // The contract suite kills Trino. The storage of spooled results has another address after a restart.
      expect(ofLoss).toHaveLength(1);
      if (context.direct === undefined) throw new Error("Trino has not started");
      for (const { run } of ofLoss) await run({ ...context.direct, restart: { stop, start } });
      await eventually(async () => (await server.run("SELECT 2 AS n")).state === "QUERY_STATE_SUCCESS", patience);
      expect(await server.rows("SELECT count(*) AS n FROM region")).toEqual([[5]]);
    });
  });
