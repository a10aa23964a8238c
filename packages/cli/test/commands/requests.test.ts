import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { quern, startQuern } from "../quern.ts";

type Answer = (method: string, params: Readonly<Record<string, unknown>>) => unknown;

const calls: (readonly [method: string, params: unknown])[] = [];
let answer: Answer;
const server = createServer(async (request, response) => {
  const { id, method, params } = JSON.parse(await text(request));
  calls.push([method, params[0]]);
  const result = answer(method, params[0]);
  const reply = result instanceof Error ? { error: { code: -32_601, message: result.message } } : { result };
  if (result !== undefined) response.end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
});
let env: Record<string, string>;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  env = { QUERN_URL: `http://127.0.0.1:${port}`, QUERN_API_KEY: "qk_1" };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  calls.splice(0);
  vi.useRealTimers();
});

const run = {
  id: "run_1",
  state: "QUERY_STATE_SUCCESS",
  createdAt: "2026-11-24T12:00:00.000Z",
  endedAt: "2026-11-24T12:00:01.500Z",
  rowCount: 7,
  dataSourceId: "samples",
  tags: { a: "1", b: "2" },
  errorName: null,
};

describe("quern runs list", () => {
  const list = (...words: string[]) => quern(["runs", "list", "--no-sql", ...words], env);

  it("says on stderr that there are more than the default limit, unless the caller sets another or --json", async () => {
    answer = (_method, { limit }) => ({ queryRuns: Array(Number(limit)).fill(run), nextCursor: "more" });
    const line = "the newest 50 runs; --limit lists more\n";
    for (const words of [[], ["--ids"], ["--format", "csv"]])
      expect(await list(...words)).toMatchObject({ status: 0, stderr: line });
    for (const words of [["--limit", "10"], ["--json"]]) expect((await list(...words)).stderr).toBe("");
    answer = () => ({ queryRuns: Array(50).fill(run), nextCursor: null });
    expect((await list()).stderr).toBe("");
  });

  it("prints a row for each run", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-24T12:00:02.000Z") });
    const others = [
      { ...run, id: "run_2", endedAt: null, rowCount: null, tags: {}, errorName: "BinderError" },
      { ...run, id: "run_3", createdAt: "2026-11-24T12:00:03.000Z", endedAt: null },
    ];
    answer = () => ({ queryRuns: [run, ...others], nextCursor: null });
    expect(await list("--format", "csv")).toEqual({
      status: 0,
      stdout: [
        "id,state,created_at,elapsed_seconds,rows,data_source,tags,error",
        'run_1,success,2026-11-24T12:00:00.000Z,1.5,7,samples,"a=1,b=2",',
        'run_2,success,2026-11-24T12:00:00.000Z,2,,samples,"",BinderError',
        'run_3,success,2026-11-24T12:00:03.000Z,0,7,samples,"a=1,b=2",\n',
      ].join("\n"),
      stderr: "",
    });
    expect(calls).toEqual([["listQueryRuns", { limit: 50 }]]);
  });

  it("requests the conditions of its flags, and a time from now", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-24T12:00:00.000Z") });
    answer = () => ({ queryRuns: [], nextCursor: null });
    const words = ["--state", "queued,running", "--state", "failed", "--tag", "a=1", "--tag", "b=2", "--since", "15m"];
    expect((await list(...words, "--limit", "1", "--ids")).stdout).toBe("");
    const states = ["QUERY_STATE_READY", "QUERY_STATE_RUNNING", "QUERY_STATE_FAILED"];
    const since = "2026-11-24T11:45:00.000Z";
    expect(calls).toEqual([["listQueryRuns", { states, tags: { a: "1", b: "2" }, since, limit: 1 }]]);
  });

  it("reads pages of at most 1,000 runs, until it has enough or there are no more", async () => {
    answer = (_, { limit, cursor }) => ({
      queryRuns: Array(Number(limit)).fill(run),
      nextCursor: `${cursor ?? ""}x`,
    });
    expect((await list("--limit", "2001", "--ids")).stdout).toBe("run_1\n".repeat(2_001));
    expect(calls.map(([, params]) => params)).toEqual([
      { limit: 1_000 },
      { limit: 1_000, cursor: "x" },
      { limit: 1, cursor: "xx" },
    ]);
    calls.splice(0);
    answer = () => ({ queryRuns: [run], nextCursor: calls.length === 1 ? "x" : undefined });
    expect((await list("--limit", "3", "--ids")).stdout).toBe("run_1\nrun_1\n");
    expect(calls).toHaveLength(2);
  });

  it.each(["1.5", "-1", "0", "all"])("refuses the limit %s", async (limit) => {
    expect(await list("--limit", limit)).toMatchObject({ status: 2, stdout: "" });
    expect(calls).toEqual([]);
  });
});

describe("quern runs show", () => {
  it("prints the members of a run that have a value", async () => {
    const sql = "select 1\n";
    answer = (method) => (method === "getQueryRun" ? { queryRun: run } : { sqlStatement: { sql } });
    const words = ["runs", "show", "run_1"];
    const { id, state: _, ...others } = run;
    const shown = { id, state: "success", sql, ...others };
    expect((await quern(words, env)).stdout).toBe(`${JSON.stringify(shown, null, 2)}\n`);
    expect((await quern([...words, "--sql"], env)).stdout).toBe(sql);
    const { stdout } = await startQuern(words, env, "", { columns: 30 }).ended;
    expect(stdout).toBe(
      [
        "member        value",
        "────────────  ────────────────────────",
        "id            run_1",
        "state         success",
        "sql           select 1\\n",
        "createdAt     2026-11-24T12:00:00.000Z",
        "endedAt       2026-11-24T12:00:01.500Z",
        "rowCount      7",
        "dataSourceId  samples",
        'tags          {"a":"1","b":"2"}\n',
      ].join("\n"),
    );
    expect(calls[0]).toEqual(["getQueryRun", { queryRunId: "run_1" }]);
  });
});

it.each([[["runs", "list"]], [["runs", "show", "run_1"]], [["runs", "cancel", "run_1"]], [["list-query-runs"]]])(
  "quern %j waits for the service as long as its flag says",
  async (words) => {
    answer = () => undefined;
    const { status, stderr } = await quern([...words, "--timeout-seconds", "0.02"], env);
    expect({ status, stderr }).toEqual({ status: 6, stderr: expect.stringContaining("not done within 20 ms") });
  },
);

it("quern runs wait prints the run as JSON", async () => {
  answer = () => ({ queryRun: run });
  expect(await quern(["runs", "wait", "run_1", "--json"], env)).toEqual({
    status: 0,
    stdout: `${JSON.stringify(run, null, 2)}\n`,
    stderr: "",
  });
});

describe("quern query", () => {
  const query = (...words: string[]) => quern(["query", ...words], env);
  const failed = { ...run, state: "QUERY_STATE_FAILED", errorName: "BinderError", errorMessage: "no such table" };

  it("requests what its flags say", async () => {
    answer = () => ({ queryRequest: { id: "req_1", queryRunId: "run_1" }, queryRun: failed });
    const words = ["--max-age-minutes", "5", "--result-ttl-hours", "2", "--tag", "a=1", "--tag", "b=2"];
    await query("select 1", ...words, "--data-source", "s", "--data-provider", "p", "--format", "csv");
    const labels = { tags: { a: "1", b: "2" }, dataSource: "s", dataProvider: "p" };
    const [[method, params] = []] = calls;
    const members = { maxAgeMinutes: 5, resultTTLHours: 2, ...labels, idempotencyKey: expect.any(String) };
    const firstPage = { waitSeconds: 1, results: { page: { size: 1_000 } } };
    expect([method, params]).toEqual(["createQueryRun", { sql: "select 1", ...members, ...firstPage }]);
  });

  it.each([
    ["table", 10_000],
    ["tsv", 10_000],
    ["jsonl", 1_000],
    ["parquet", 1],
  ])("as %s requests a first page of %j rows", async (format, size) => {
    answer = () => ({ queryRequest: { id: "req_1", queryRunId: "run_1" }, queryRun: failed });
    await query("select 1", "--format", format);
    expect(calls[0]?.[1]).toMatchObject({ results: { page: { size } } });
  });

  it.each([
    [["-p", "1=a"], ["a"]],
    [
      ["-p", "10=j", ...Array.from({ length: 9 }, (_, at) => ["-p", `${at + 1}=${at}`]).flat()],
      [0, 1, 2, 3, 4, 5, 6, 7, 8, "j"],
    ],
    [["-p", "1=null"], [null]],
    [["-p", "0=a"], { 0: "a" }],
    [["-p", "1=a", "-p", "3=b"], { 1: "a", 3: "b" }],
    [["-p", "01=a"], { "01": "a" }],
    [["-p", "1=a", "-p", "b=2"], { 1: "a", b: 2 }],
  ])("sends the parameters %j as %j", async (words, parameters) => {
    answer = () => ({ queryRequest: { id: "req_1", queryRunId: "run_1" }, queryRun: failed });
    await query("select 1", ...words);
    expect(calls[0]?.[1]).toMatchObject({ parameters });
  });
});

it.each([
  ["csv", "csv"],
  ["json", "ndjson"],
  ["jsonl", "ndjson"],
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrow"],
])("quern result as %s requests a download as %s", async (format, downloaded) => {
  answer = (method) => (method === "getQueryRun" ? { queryRun: run } : new Error("no such method"));
  await quern(["result", "run_1", "--format", format], env);
  expect(calls[1]).toEqual(["getQueryRunDownload", { queryRunId: "run_1", format: downloaded }]);
});

describe("the connection", () => {
  it("takes the key from the first line of a file, and the address from a flag before the variable", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-key-"));
    const file = join(folder, "key");
    await writeFile(file, " \n");
    answer = () => ({ queryRuns: [], nextCursor: null });
    const words = ["runs", "list", "--api-key-file", file, "--url", env.QUERN_URL ?? ""];
    expect(await quern(words, { QUERN_API_KEY: "qk_2", QUERN_URL: "nowhere" })).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/^quern: missing API key; /),
    });
    await writeFile(file, " qk_1\n");
    expect(await quern(words, { QUERN_URL: "nowhere" })).toMatchObject({ status: 0 });
    await rm(folder, { recursive: true });
  });

  it.each(["ftp://a", "nowhere", "http:"])("refuses the address %s of the variable", async (address) => {
    expect(await quern(["runs", "list"], { QUERN_URL: address, QUERN_API_KEY: "k" })).toEqual({
      status: 2,
      stdout: "",
      stderr: `quern: invalid QUERN_URL: expected an HTTP address such as http://127.0.0.1:8080, got "${address}"\n`,
    });
  });
});
