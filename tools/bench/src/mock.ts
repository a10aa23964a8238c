import { createMockServer } from "@quern/mock-server";
import { mswHandlers } from "@quern/mock-server/msw";
import { http } from "msw";
import { setupServer } from "msw/node";
import { bounded, median } from "./measure.ts";
import { startMock } from "./mocks/process.ts";

const ROUNDS = 9;
const POLLS = 5_000;
const CALLS = 10_000;
const SERVERS = { bare: "bare node:http", quern: "@quern/mock-server", "open-rpc": "@open-rpc/mock-server" } as const;

type Figures = Readonly<Record<keyof typeof SERVERS, number[]>>;

/** The mock beside the least that `node:http` can do, and beside other mocks. */
export async function mock(): Promise<void> {
  const names = Object.keys(SERVERS) as (keyof typeof SERVERS)[]; // its own keys
  const cold: Figures = { bare: [], quern: [], "open-rpc": [] };
  const cpu: Figures = { bare: [], quern: [], "open-rpc": [] };
  // One turn each in each round, so that what else the machine does falls on all; the first one warms the disk.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of names) {
      await using server = await startMock(name);
      if (round > 0) cold[name].push(server.coldMs);
    }
  }
  await using servers = new AsyncDisposableStack();
  const running = new Map<keyof typeof SERVERS, Awaited<ReturnType<typeof startMock>>>();
  for (const name of names) running.set(name, servers.use(await startMock(name)));
  for (const [, server] of running) await server.pollUs(3 * POLLS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, server] of running) cpu[name].push(await server.pollUs(POLLS));
  }
  const timesBare = (of: Figures, name: keyof typeof SERVERS) =>
    median(of[name].map((figure, round) => figure / (of.bare[round] ?? 0)));
  console.log(`medians of ${ROUNDS}: start to first answer, processor time a request with 64 at once`);
  for (const name of names) {
    const start = `${median(cold[name]).toFixed(0)} ms (${timesBare(cold, name).toFixed(2)} x)`;
    console.log(
      `  ${SERVERS[name].padEnd(24)} ${start}, ${median(cpu[name]).toFixed(1)} µs (${timesBare(cpu, name).toFixed(2)} x)`,
    );
  }
  bounded({ what: "start, x bare", value: timesBare(cold, "quern"), atMost: 1.3 });
  bounded({ what: "processor time a request, x bare", value: timesBare(cpu, "quern"), atMost: 1.3 });
  await inProcess();
}

/** What a test pays that stays in its process. */
async function inProcess(): Promise<void> {
  const mock = createMockServer();
  const url = "https://mock.example";
  const headers = { "content-type": "application/json", "x-api-key": mock.apiKey };
  const call = async (fetch: typeof globalThis.fetch, base: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    return (await (await fetch(`${base}/json-rpc`, { method: "POST", headers, body })).json()).result;
  };
  const { queryRun } = await call(mock.fetch, mock.url, "createQueryRun", { sql: "select 1", waitSeconds: 1 });
  const poll = (fetch: typeof globalThis.fetch, base: string) =>
    call(fetch, base, "getQueryRun", { queryRunId: queryRun.id });

  const injected = await usEach(CALLS, () => poll(mock.fetch, mock.url));
  const msw = setupServer(...mswHandlers(http, mock, url));
  msw.listen();
  const intercepted = await usEach(CALLS / 10, () => poll(globalThis.fetch, url));
  msw.close();
  const namespace = await usEach(CALLS, async () => mock.namespace().dispose());
  console.log(`in the process: a poll by msw 3 takes ${intercepted.toFixed(0)} µs of processor time`);
  bounded({ what: "a poll by the mock's fetch", value: injected, atMost: 15, unit: " µs" });
  bounded({ what: "a namespace", value: namespace, atMost: 50, unit: " µs" });
}

/** Processor time that each takes, in microseconds: the median of some rounds, the first of which warms up. */
async function usEach(times: number, work: () => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let at = 0; at < times; at += 1) await work();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) rounds.push((user + system) / times);
  }
  return median(rounds);
}
