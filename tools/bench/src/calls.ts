import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Flipside } from "@flipsidecrypto/sdk";
import { createClient, getQueryRun } from "@quern/client";
import { createTRPCUntypedClient, httpBatchLink } from "@trpc/client";
import { request } from "undici";
import { createClient as createViemClient, http } from "viem";
import { bounded, median } from "./measure.ts";
import { readyUrl } from "./service.ts";

const ROUNDS = 7;
const ROUND_MS = 400;
const SERVER = fileURLToPath(new URL("./peers/echo-server.ts", import.meta.url));

type Call = () => Promise<unknown>;

/** Calls a second against one server that echoes, from one caller and from 64, beside `fetch` and other clients. */
export async function calls(): Promise<void> {
  const server = spawn(process.execPath, [SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const callers = callersOf(await readyUrl(server));
    await compare(callers, 1, 2.5);
    await compare(callers, 64, 10);
  } finally {
    server.kill();
  }
}

function callersOf(url: string): ReadonlyMap<string, Call> {
  const apiKey = "any text";
  const endpoint = `${url}/json-rpc`;
  const params = { queryRunId: "run" };
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getQueryRun", params: [params] });
  const client = createClient({ url, apiKey });
  const trpc = createTRPCUntypedClient({ links: [httpBatchLink({ url: `${url}/trpc`, methodOverride: "POST" })] });
  const viem = createViemClient({ transport: http(endpoint, { batch: true }) });
  const flipside = new Flipside(apiKey, url);
  return new Map<string, Call>([
    ["@quern/client", () => getQueryRun(client, params)],
    ["fetch", async () => (await fetch(endpoint, { method: "POST", headers, body })).json()],
    ["undici.request", async () => (await request(endpoint, { method: "POST", headers, body })).body.json()],
    ["@trpc/client, batch", () => trpc.query("getQueryRun", params)],
    ["viem, batch", () => viem.request({ method: "eth_blockNumber" })],
    ["@flipsidecrypto/sdk", () => flipside.query.getQueryRun(params)],
  ]);
}

/** Each has its turn in each round, so that what else the machine does falls on all. */
async function compare(callers: ReadonlyMap<string, Call>, concurrency: number, atLeast: number): Promise<void> {
  const rates = new Map([...callers.keys()].map((name) => [name, [] as number[]]));
  for (const call of callers.values()) await callsPerSecond(call, concurrency);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of callers) rates.get(name)?.push(await callsPerSecond(call, concurrency));
  }
  const rate = (name: string) => median(rates.get(name) ?? []);
  console.log(`${concurrency} at once, calls a second, medians of ${ROUNDS}:`);
  for (const name of callers.keys()) {
    const times = rate(name) / rate("fetch");
    console.log(`  ${name.padEnd(24)} ${rate(name).toFixed(0).padStart(7)}  ${times.toFixed(2)} x fetch`);
  }
  bounded({ what: `${concurrency} at once, x fetch`, value: rate("@quern/client") / rate("fetch"), atLeast });
}

async function callsPerSecond(call: Call, concurrency: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() - start < ROUND_MS) {
        await call();
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - start)) * 1_000;
}
