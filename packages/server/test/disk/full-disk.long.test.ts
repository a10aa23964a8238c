import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreateQueryRunParams, QueryRun } from "@quern/protocol/types";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { expect } from "vitest";
import { apiKey, RpcError } from "../fixture.ts";
import { startServerProcess } from "../server-process.ts";
import { onSmallDisk } from "./small-disk.ts";

const rounds = 2;
const phaseMs = 4_000;
const { StorageFull } = document.components.errors;
/** Failures that a full disk may cause. */
const failures = new Set(["StorageFull", "OutOfMemoryError"]);

const statements = [
  (number: number) => `select ${number} as n, uuid() as token from range(10)`,
  (number: number) => `select ${number} as n, hash(range + ${number}) as h from range(100000)`,
  (number: number) => `select ${number} as n, h from (select hash(range) as h from range(1000000)) order by h limit 5`,
];

/** It writes 24 MB little by little, for some seconds on any machine, so that it still writes when the disk is full. */
const large = "select hash(sha256(repeat(range::varchar, 400))) as h from range(3000000)";

onSmallDisk(800, "loses nothing while the disk is full, and goes on when there is room", async (disk) => {
  await using stack = new AsyncDisposableStack();
  const server = await startServerProcess(join(disk.path, "data"));
  stack.defer(() => server.end("SIGTERM"));
  const codes = new Map<number, number>();
  const seen = { ended: new Map<string, QueryRun>(), waitReasons: 0, refused: 0, pages: 0, files: 0 };
  const acknowledged = new Set<string>();
  const over = new AbortController();
  let phase = "room";

  function count(error: unknown): void {
    if (!(error instanceof RpcError)) throw error;
    codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
  }

  const kept = await server.run("select range as n, hash(range) as h from range(50000)", { resultTTLHours: 720 });
  const hashOf = async (queryRunId: string, more: object = {}): Promise<string> => {
    const { rows } = await server.results({ queryRunId, page: { number: 2, size: 1_000 }, ...more });
    return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
  };
  const sorted = { sortBy: [{ column: "h", direction: "desc" as const }] };
  const expected = [await hashOf(kept.id), await hashOf(kept.id, sorted)];

  /** Creates runs, repeats refused calls with the same key, and waits for each run. */
  async function create(client: number): Promise<void> {
    for (let number = 0; !over.signal.aborted; number += 1) {
      const sql = statements[(client + number) % statements.length]?.(client * 1_000_000 + number) ?? "";
      const params: CreateQueryRunParams = { sql, idempotencyKey: `${client}.${number}`, resultTTLHours: 1 };
      const run = await server.create(params).then(
        ({ queryRun }) => queryRun,
        async (error: unknown) => {
          count(error);
          await sleep(200);
          return undefined;
        },
      );
      if (run === undefined) continue;
      acknowledged.add(run.id);
      if (number % 7 === 3) await server.call("cancelQueryRun", { queryRunId: run.id }).catch(count);
      for (let { id, endedAt } = run; endedAt === null && !over.signal.aborted; ) {
        const current = await server.get(id, 1);
        if (current.waitReason !== undefined) seen.waitReasons += 1;
        endedAt = current.endedAt;
      }
      await sleep(200); // the results alone must not fill the disk
    }
  }

  /** Reads pages of a result that is there, in its order and sorted. */
  async function read(): Promise<void> {
    while (!over.signal.aborted) {
      expect([await hashOf(kept.id), await hashOf(kept.id, sorted)]).toEqual(expected);
      await server.call("listQueryRuns", { limit: 20 });
      seen.pages += 2;
      await sleep(50);
    }
  }

  /** Downloads the result. A download that cannot start on a full disk is refused. */
  async function download(): Promise<void> {
    while (!over.signal.aborted) {
      const { url } = await server.call<{ url: string }>("getQueryRunDownload", { queryRunId: kept.id, format: "csv" });
      const response = await fetch(url);
      const text = await response.text();
      if (response.status === 200) seen.files += text.split("\n").length > 50_000 ? 1 : 0;
      else expect([response.status, JSON.parse(text).error.code]).toEqual([503, StorageFull.code]);
      await sleep(500);
    }
  }

  /** Returns the size of the largest result that a statement is writing, in bytes. */
  async function writtenBytes(): Promise<number> {
    const work = join(disk.path, "data", "work");
    const files = (await readdir(work, { recursive: true }).catch((): string[] => [])).filter((name) =>
      name.endsWith("out/result.parquet"),
    );
    return Math.max(0, ...files.map((name) => statSync(join(work, name), { throwIfNoEntry: false })?.size ?? 0));
  }

  /** Creates a run by a lone HTTP request, whose refusal asks for a retry. */
  async function probe(): Promise<void> {
    while (!over.signal.aborted) {
      const params = [{ sql: "select 1 as probe", waitSeconds: 1 }];
      const response = await fetch(`${server.url}/json-rpc`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": apiKey },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "createQueryRun", params }),
      });
      const { error } = (await response.json()) as { error?: { code: number } };
      if (error !== undefined) {
        expect([error.code, response.status]).toEqual([StorageFull.code, 503]);
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(phase).not.toBe("room");
        seen.refused += 1;
      }
      await sleep(300);
    }
  }

  const load = Promise.all([...[1, 2, 3, 4, 5, 6].map(create), read(), read(), download(), probe()]);
  load.catch(() => over.abort());
  for (let round = 0; round < rounds && !over.signal.aborted; round += 1) {
    await sleep(phaseMs);
    // A run that still waits when the disk is full would start when there is room again, and succeed.
    let { queryRun: writing } = await server.create({ sql: large });
    acknowledged.add(writing.id);
    while (writing.startedAt === null) {
      await sleep(50);
      writing = await server.get(writing.id);
    }
    while (writing.endedAt === null && (await writtenBytes()) < 1_000_000) {
      await sleep(50);
      writing = await server.get(writing.id);
    }
    phase = "full";
    // In turn to the mark of 95 %, and until not a byte is left.
    await disk.fill(round % 2 === 0 ? 15_000_000 : 0);
    await sleep(phaseMs);
    if (round % 2 === 1) await disk.fill(); // what the service has freed meanwhile
    await sleep(phaseMs / 2);
    disk.empty();
    await sleep(2_000); // calls in progress
    phase = "room";
  }
  await sleep(phaseMs);
  over.abort();
  await load;

  // With room, every run that was acknowledged comes to an end that the service knows.
  async function end(id: string): Promise<void> {
    let run = await server.get(id);
    while (run.endedAt === null) run = await server.get(id, 10);
    seen.ended.set(id, run);
    if (run.state === "QUERY_STATE_SUCCESS") await server.results({ queryRunId: id, page: { number: 1, size: 1 } });
  }
  for (const ids = [...acknowledged]; ids.length > 0; ) await Promise.all(ids.splice(0, 20).map(end));
  const ended = [...seen.ended.values()];
  const failed = ended.filter(({ state }) => state === "QUERY_STATE_FAILED").map(({ errorName }) => errorName ?? "");
  const succeeded = ended.filter(({ state }) => state === "QUERY_STATE_SUCCESS").length;
  console.log(
    `${acknowledged.size} runs: ${succeeded} succeeded, ${failed.length} failed (${[...new Set(failed)]}); ${seen.pages} pages, ${seen.files} downloads; refusals ${JSON.stringify([...codes])} and ${seen.refused} of lone calls; ${seen.waitReasons} polls said why a run waits`,
  );
  expect(seen.ended.size).toBe(acknowledged.size);
  expect([...codes.keys()].filter((code) => code !== StorageFull.code && code !== -32165)).toEqual([]);
  expect(failed.filter((name) => !failures.has(name))).toEqual([]);
  expect(Math.min(seen.refused, succeeded, failed.length, seen.pages, seen.files)).toBeGreaterThan(0);
  expect(await server.run("select 1 as last")).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
});
