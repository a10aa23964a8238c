import { once } from "node:events";
import { readdir, readFile, truncate } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { CreateQueryRunResult, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { tableFromIPC } from "apache-arrow";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually, startServer, type TestServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const link = (queryRunId: string, format: string, from = server) =>
  from.call<GetQueryRunDownloadResult>("getQueryRunDownload", { queryRunId, format });

describe("a download", () => {
  it.each(["csv", "arrow"])("has all rows of a large result, in their order: %s", async (format) => {
    const { id } = await server.run("select range as n, 'row ' || range as name from range(150000) order by n desc");
    const response = await fetch((await link(id, format)).url);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (format === "csv") {
      const lines = String(bytes).trimEnd().split("\n");
      expect(lines).toHaveLength(150_001);
      expect(lines.slice(1).every((line, row) => line === `${149_999 - row},row ${149_999 - row}`)).toBe(true);
    } else {
      const values = tableFromIPC(bytes).getChild("n")?.toArray();
      expect(values?.length).toBe(150_000);
      expect(values?.every((value: bigint, row: number) => value === BigInt(149_999 - row))).toBe(true);
    }
  });
});

it("downloads of one tenant leave places for others", async () => {
  const { id } = await server.run("select range as n, hash(range)::varchar as text from range(1500000)");
  const { url } = await link(id, "csv");
  const open = () => new Promise<IncomingMessage>((resolve) => get(url, resolve));
  // They are open and not read: each occupies a process.
  const responses = await Promise.all([open(), open(), open(), open()]);
  const refused = await open();
  expect(refused.statusCode).toBe(503);
  const other = await caller(server, { tenant: "other", user: "good" });
  const { queryRun } = (await other.call("createQueryRun", { sql: "select 1 as n", waitSeconds: 30 }))
    .result as unknown as CreateQueryRunResult; // the result of the method
  const own = await other.call("getQueryRunDownload", { queryRunId: queryRun.id, format: "csv" });
  const response = await fetch((own.result as unknown as GetQueryRunDownloadResult).url);
  expect([response.status, await response.text()]).toEqual([200, "n\n1\n"]);
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  for (const one of [...responses, refused]) one.destroy();
});

describe("a download that does not come to its end", () => {
  const logged: string[] = [];
  let own: TestServer;
  // A server of its own for each test: processes of earlier downloads stay idle for a minute.
  beforeEach(async () => {
    logged.length = 0;
    own = await startServer({ log: { error: (message: string) => void logged.push(message) } });
  });
  afterEach(() => own[Symbol.asyncDispose]());
  const underWay = async () =>
    (await readdir(join(own.dataDir, "work"))).filter((name) => name.startsWith("download-")).length;

  it("is ended when its reader takes next to nothing", async () => {
    const { id } = await own.run("select range as n, hash(range)::varchar as text from range(1500000)");
    const { url } = await link(id, "csv", own);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const response = await new Promise<IncomingMessage>((resolve) => get(url, resolve));
      const seen = expect(once(response, "end")).rejects.toThrow("aborted");
      while ((await underWay()) > 0) {
        response.read(1);
        vi.advanceTimersByTime(60_000);
        await setImmediate();
      }
      response.resume();
      await seen;
    } finally {
      vi.useRealTimers();
    }
  });

  it("is seen to be incomplete", async () => {
    const { id } = await own.run("select range as n, hash(range)::varchar as text from range(1500000)");
    const path = join(own.dataDir, "results", `${id}.1.parquet`);
    const { url } = await link(id, "csv", own);
    const response = await fetch(url);
    const reader = response.body?.getReader();
    await reader?.read();
    // The rest of the file is not a result.
    await truncate(path, 5_000);
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toThrow();
  });

  it("is ended when its reader leaves", async () => {
    const { id } = await own.run("select range as n, hash(range)::varchar as text from range(1500000)");
    const leave = new AbortController();
    const response = await fetch((await link(id, "csv", own)).url, { signal: leave.signal });
    await response.body?.getReader().read();
    expect(await underWay()).toBe(1);
    leave.abort();
    await eventually(async () => (await underWay()) === 0);
    // The bytes that were read are logged.
    const audit = (await readFile(join(own.dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
    const last = JSON.parse(audit.at(-1) ?? "");
    expect(last).toMatchObject({ action: "result.read", runId: id, format: "csv" });
    expect(last.bytes).toBeGreaterThan(0);
    expect(last.bytes).toBeLessThan(25_000_000);
    expect(logged).toEqual([]);
  });
});
