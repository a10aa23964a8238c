import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noSuchMethod, startFront } from "../front.ts";
import { quern, quernOn, startQuern } from "../quern.ts";

const mock = createMockServer();
mock.when("select name from cars").rows([
  { Name: "fiat 128", year: 1972 },
  { Name: null, year: 1976 },
]);
mock
  .when("select slow")
  .after("1h")
  .rows([{ n: 1 }]);
mock.when("select bad").fails({ errorName: "BinderError", errorMessage: "there is no column bad" });
/** Time limit of tests that start processes, which is slow on a busy machine. */
const patience = { timeout: 15_000, interval: 10 };
let on: Awaited<ReturnType<typeof quernOn>>;
let folder: string;
beforeAll(async () => {
  on = await quernOn(mock);
  folder = await mkdtemp(join(tmpdir(), "quern-result-"));
});
afterAll(async () => {
  await on[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function create(sql: string): Promise<string> {
  const { stdout } = await on.run(["create-query-run", "--sql", sql]);
  return JSON.parse(stdout).queryRun.id;
}

async function stateOf(id: string): Promise<string> {
  return JSON.parse((await on.run(["get-query-run", "--query-run-id", id])).stdout).queryRun.state;
}

describe("quern result", () => {
  it.each([
    [["--format", "csv"], "Name,year\nfiat 128,1972\n,1976\n"],
    [["-F", "jsonl"], '{"name":"fiat 128","year":1972}\n{"name":null,"year":1976}\n'],
    [["--json"], '[\n{"name":"fiat 128","year":1972},\n{"name":null,"year":1976}\n]\n'],
    [["-F", "table"], "Name      year\n────────  ────\nfiat 128  1972\nNULL      1976\n"],
  ])("prints the rows of a run with %j", async (flags, stdout) => {
    const id = await create("select name from cars");
    expect(await on.run(["result", id, ...flags])).toEqual({ status: 0, stdout, stderr: "" });
  });

  it("waits for a run that has not ended", async () => {
    const id = await create("select slow");
    const { ended } = on.start(["result", id, "--format", "csv"]);
    await expect.poll(() => stateOf(id), patience).toBe("QUERY_STATE_RUNNING");
    mock.clock.advance("1h");
    expect(await ended).toEqual({ status: 0, stdout: "n\n1\n", stderr: "" });
  });

  it.each([
    ["SIGINT", 130, "interrupted."],
    ["SIGTERM", 143, "stopped by SIGTERM."],
    ["SIGHUP", 129, "stopped by SIGHUP."],
  ] as const)("stops by %s and leaves the run as it is", async (signal, status, text) => {
    const id = await create("select slow");
    const { signal: send, ended } = on.start(["result", id]);
    await expect.poll(() => stateOf(id), patience).toBe("QUERY_STATE_RUNNING");
    send(signal);
    expect(await ended).toEqual({ status, stdout: "", stderr: `quern: ${text} Run ${id} is not stopped.\n` });
    expect(await stateOf(id)).toBe("QUERY_STATE_RUNNING");
  });

  it.each([
    ["of a run that failed", () => create("select bad"), 4, /there is no column bad/],
    ["of no run", () => "run_none", 8, /QueryRunNotFound/],
  ])("%s exits with its kind", async (_, run, status, line) => {
    expect(await on.run(["result", await run()])).toMatchObject({
      status,
      stdout: "",
      stderr: expect.stringMatching(line),
    });
  });

  it("names the run where its polls fail", async () => {
    await using front = await startFront(on.env.QUERN_URL, (method) =>
      method === "getQueryRun" ? { error: { code: -32_000, message: "no such service" } } : undefined,
    );
    const { stderr } = await quern(["query", "select slow", "--json"], { ...on.env, QUERN_URL: front.url });
    const [newest] = JSON.parse((await on.run(["list-query-runs", "--limit", "1"])).stdout).queryRuns;
    expect(JSON.parse(stderr)).toMatchObject({ queryRunId: newest.id });
  });
});

it("a stopped query reports a run that could not be withdrawn", async () => {
  await using front = await startFront(on.env.QUERN_URL, (method) =>
    method === "cancelQueryRun" ? { error: { code: -32_163, message: "no such right" } } : undefined,
  );
  const { signal, ended } = startQuern(["query", "select slow"], { ...on.env, QUERN_URL: front.url });
  await expect.poll(() => front.calls, patience).toContain("getQueryRun");
  signal("SIGTERM");
  const { status, stderr } = await ended;
  expect(status).toBe(143);
  expect(stderr).toMatch(
    /^quern: stopped by SIGTERM\. The query of run run_\d+ could not be withdrawn: .*no such right/,
  );
});

describe("a whole result", () => {
  const csv = { result: { url: "/results/link", expiresAt: "2026-11-20T09:45:00.000Z", contentType: "text/csv" } };
  const getCsv = (method: string) => (method === "getQueryRunDownload" ? csv : undefined);
  const begin = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/csv" });

  async function result(onGet: (response: ServerResponse) => void, ...words: string[]) {
    await using front = await startFront(on.env.QUERN_URL, getCsv, onGet);
    const id = await create("select name from cars");
    return await quern(["result", id, "--format", "csv", ...words], { ...on.env, QUERN_URL: front.url });
  }

  it("comes by a link that may be a path", async () => {
    const { stdout } = await result((response) => void begin(response).end("a,b\n1,2\n"));
    expect(stdout).toBe("a,b\n1,2\n");
  });

  it("that is cut off is an error, and leaves no file", async () => {
    const file = join(folder, "cut.csv");
    const ended = await result(
      (response) => {
        begin(response).write("a,b\n1,2\n", () => response.destroy());
      },
      "--output",
      file,
    );
    expect(ended).toMatchObject({ status: 7, stdout: "", stderr: expect.stringMatching(/download interrupted: /) });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    [
      "a page of another server",
      (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    ],
    ["an error of the service", (response: ServerResponse) => response.writeHead(500).end()],
    ["nothing", (response: ServerResponse) => response.destroy()],
  ])("comes by pages where the link gives %s", async (_, onGet) => {
    const file = join(folder, "pages.csv");
    expect(await result((response) => void onGet(response), "--output", file)).toMatchObject({ status: 0 });
    expect(await readFile(file, "utf8")).toBe("Name,year\nfiat 128,1972\n,1976\n");
    await rm(file);
  });

  it("waits where too many downloads are open", async () => {
    const refused: Promise<unknown>[] = [];
    const { stdout } = await result((response) => {
      if (refused.length === 2) return void Promise.all(refused).then(() => begin(response).end("a,b\n"));
      // The body does not end: the command must close the connection.
      refused.push(once(response, "close"));
      response.writeHead(503, { "retry-after": "0" }).write("busy");
    });
    expect(stdout).toBe("a,b\n");
  });

  it("in Parquet is an error where the service has no download", async () => {
    await using front = await startFront(on.env.QUERN_URL, (method) =>
      method === "getQueryRunDownload" ? noSuchMethod : undefined,
    );
    const id = await create("select name from cars");
    const env = { ...on.env, QUERN_URL: front.url };
    expect(await quern(["result", id, "-F", "parquet"], env)).toMatchObject({ stdout: "", status: 1 });
    expect((await quern(["result", id, "-F", "jsonl"], env)).stdout).toContain('{"name":"fiat 128","year":1972}');
  });
});
