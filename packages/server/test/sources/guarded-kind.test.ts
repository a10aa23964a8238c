import { type Source, StatementError } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { type GuardOptions, guardKind } from "../../src/sources/guarded-kind.ts";
import { startServer } from "../fixture.ts";
import { failingKind } from "./failing-kind.ts";

const source: Source = { name: "lake", provider: "test", kind: "failing", path: null, lowerCaseColumns: false };
const forever = new AbortController().signal;
const caller = { tenantId: "t", userId: "u", parameters: null };

function guarded(options: Partial<GuardOptions> = {}) {
  const { kind, state } = failingKind();
  const reported: unknown[] = [];
  const reports = {
    known: () => {},
    connectionFailed: (name: string) => void reported.push(name),
    available: (name: string, isAvailable: boolean) => void reported.push([name, isAvailable]),
  };
  const guard = guardKind(kind, { log: { error: () => {} }, reports, ...options });
  const statement = { ...caller, source, runId: "run", attempt: 1, traceparent: undefined };
  const limits = { timeoutSeconds: 60, maxResultBytes: 1e9, maxResultRows: 1e9 };
  /** Begins a statement as the service does. */
  async function begin(signal: AbortSignal = forever) {
    const data = await guard.hold(source);
    return guard.begin({ ...statement, limits, sql: "from types", data }, signal);
  }
  return { guard, state, reported, begin };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof StatementError ? error.failure : error),
  );

describe("a guarded source", () => {
  it("fails a statement at once while the engine refuses connections, without the address of the engine", async () => {
    const { state, begin } = guarded();
    state.fault = "refuses";
    expect(await failureOf(begin())).toEqual({
      name: "DataSourceUnavailable",
      message: "The data source lake cannot be reached; retry later.",
      data: { category: "DATA_SOURCE", retryable: true },
    });
  });

  it("stops calling the engine after five failures, and calls it again after a pause", async () => {
    let ms = 0;
    const { state, begin, reported } = guarded({ now: () => ms });
    state.fault = "refuses";
    for (let count = 0; count < 8; count += 1) await failureOf(begin());
    expect(state.calls).toBe(5);
    expect(await failureOf(begin())).toMatchObject({
      message: expect.stringContaining("the service tries again in 15 s"),
    });
    state.fault = undefined;
    ms = 15_000;
    await (await begin()).release();
    await (await begin()).release();
    expect(state.calls).toBe(7);
    expect(reported.slice(-2)).toEqual([
      ["lake", false],
      ["lake", true],
    ]);
  });

  it("fails a statement whose engine does not answer, and describes one no longer than its signal allows", async () => {
    const { guard, state, begin } = guarded({ answerMs: 20, graceMs: 20 });
    state.fault = "hangs";
    expect(await failureOf(begin())).toMatchObject({ name: "DataSourceUnavailable" });
    const data = await guard.hold(source);
    const signal = AbortSignal.timeout(20);
    const described = guard.describe({ ...caller, source, data, sql: "from types" }, signal);
    expect(await failureOf(described)).toBe(signal.reason);
    expect(await guard.revision(source)).toBe("unknown");
  });

  it("reports the loss of an engine that executes, so that the run is retried, without its address", async () => {
    const { state, begin } = guarded();
    state.fault = "is lost";
    const execution = await begin();
    await expect(execution.result()).rejects.toMatchObject({
      name: "EngineLostError",
      message: "the connection to the data source lake was lost",
      cause: { message: "read ECONNRESET 10.1.2.3:8080" },
    });
  });

  it("reports the loss of an engine that delivers rows in the same way", async () => {
    const { state, begin, reported } = guarded();
    state.fault = "is lost later";
    const result = await (await begin()).result();
    if (result.form !== "rows") throw new Error(`unexpected form: ${result.form}`);
    const rows = Array.fromAsync(result.rows);
    await expect(rows).rejects.toMatchObject({ message: "the connection to the data source lake was lost" });
    expect(reported).toEqual(["lake"]);
  });

  it("reports the loss of an engine that writes a file in the same way", async () => {
    const { state, begin, reported } = guarded();
    state.fault = "is lost in its file";
    const result = await (await begin()).result();
    if (result.form !== "parquet") throw new Error(`unexpected form: ${result.form}`);
    await expect(result.file()).rejects.toMatchObject({ message: "the connection to the data source lake was lost" });
    expect(reported).toEqual(["lake"]);
  });
});

it("fails runs on a dead source while other sources work, and reports the source in the metrics", async () => {
  const { kind, state } = failingKind();
  const sources = [
    { name: "here", provider: "quern" },
    { name: "lake", provider: "quern", kind: "failing" },
  ];
  await using server = await startServer({ sources, sourceKinds: { failing: kind } });
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  expect(await metrics()).toContain('quern_source_available{source="lake"} 1');
  state.fault = "refuses";
  for (let count = 0; count < 6; count += 1) {
    const run = await server.run("from types", { dataSource: "lake" });
    expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "DataSourceUnavailable" });
    expect(run.errorData).toMatchObject({ category: "DATA_SOURCE", retryable: true });
  }
  await expect(server.call("listTables", { dataSource: "lake" })).rejects.toMatchObject({ code: -32_178 });
  expect(await server.call("listTables", {})).toMatchObject({ tables: [] });
  await expect(server.call("describeQuery", { sql: "from types", dataSource: "lake" })).rejects.toMatchObject({
    data: { errorName: "DataSourceUnavailable", errorData: { retryable: true } },
  });
  expect((await server.run("select 1", { dataSource: "here" })).state).toBe("QUERY_STATE_SUCCESS");
  const text = await metrics();
  expect(text).toContain('quern_source_available{source="lake"} 0');
  expect(text).toMatch(/quern_source_connection_failures_total\{source="lake"\} [5-9]/);
});
