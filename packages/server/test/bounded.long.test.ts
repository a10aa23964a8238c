import { once } from "node:events";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { expect, it } from "vitest";
import { keepRuns, type Refusals, readPages, sendGarbage } from "./bounded-load.ts";
import { temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";

const minutes = 2;
/** Alternates rounds without and with pages, so that other load on the machine affects both alike. */
const windows = 16;
const standardCodes = [-32700, -32600, -32601, -32602];
const declared = new Set([...standardCodes, ...Object.values(document.components.errors).map(({ code }) => code)]);

it("stays as large and as quick as it is under twenty clients and one that sends only garbage", async () => {
  const dataDir = await temporaryDirectory();
  const server = await startServerProcess(dataDir, "./bounded-process.ts");
  const refusals: Refusals = new Map();
  const large = await server.run("select range as n, 'row ' || range as name, range * 0.5 as half from range(500000)");
  expect(large.state).toBe("QUERY_STATE_SUCCESS");

  const load = new AbortController();
  const clients = Array.from({ length: 20 }, () => keepRuns(server.url, 15, refusals, load.signal));
  const fool = sendGarbage(server.url, refusals, load.signal);
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMegabytes(server.process.pid)), 250);
  let delays = { without: 0, pages: 0 };
  let pages = 0;
  for (let window = 0; window < windows; window += 1) {
    const reads = window % 2 === 1;
    const answer = once(server.process, "message");
    server.process.send?.(reads ? "pages" : "without");
    await answer;
    const over = new AbortController();
    const readers = reads ? [1, 2].map(() => readPages(server.url, large.id, refusals, over.signal)) : [];
    await sleep((minutes * 60_000) / windows);
    over.abort();
    for (const read of await Promise.all(readers)) pages += read;
  }
  clearInterval(sampling);
  const answer = once(server.process, "message");
  server.process.send?.("neither");
  [delays] = (await answer) as [typeof delays]; // the script of the server sends this
  load.abort();
  const runs = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0);
  await fool;
  expect((await server.results({ queryRunId: large.id, page: { number: 1, size: 1 } })).rows).toHaveLength(1);
  await server.end("SIGTERM");
  await rm(dataDir, { recursive: true });

  const quarter = (number: number) =>
    median(memory.slice((memory.length * (number - 1)) / 4, (memory.length * number) / 4));
  console.log(
    `${runs} runs and ${pages} pages of 100,000 rows; memory by quarter ${[1, 2, 3, 4].map(quarter).join(", ")} MB; event-loop delay p99 ${delays.pages.toFixed(1)} ms with pages, ${delays.without.toFixed(1)} ms without; refusals ${JSON.stringify([...refusals])}`,
  );
  expect([...refusals.keys()].filter((what) => !declared.has(Number(what)))).toEqual([]);
  expect(pages).toBeGreaterThan(windows);
  expect(quarter(4)).toBeLessThanOrEqual(1.1 * quarter(2));
  expect(delays.pages).toBeLessThanOrEqual(2 * delays.without);
});

/** Returns the figure of the kernel; 0 without /proc, and then nothing is checked. */
function residentMegabytes(pid = 0): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_000);
  } catch {
    return 0;
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
