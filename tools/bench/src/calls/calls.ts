import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bounded, median } from "../measure.ts";
import { readyUrl } from "../service.ts";
import type { Round } from "./caller.ts";

const ROUNDS = 31;
const ROUND_MS = 200;
const SERVER = fileURLToPath(new URL("./echo-server.ts", import.meta.url));
const CALLER = fileURLToPath(new URL("./caller.ts", import.meta.url));
const CALLERS: Readonly<Record<string, string>> = {
  quern: "@quern/client",
  fetch: "fetch",
  http: "node:http",
  undici: "undici.request",
  trpc: "@trpc/client, batch",
  viem: "viem, batch",
  flipside: "@flipsidecrypto/sdk",
};

/**
 * Measures calls per second of `@quern/client`, `fetch` and other clients to one echo server, from one caller and from
 * 64.
 */
export async function calls(): Promise<void> {
  const server = spawn(process.execPath, [SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  const processes = new Map<string, ChildProcess>();
  try {
    const url = await readyUrl(server);
    // One process for each client, because modules and garbage of one client would slow the next.
    for (const name of Object.keys(CALLERS)) {
      const caller = fork(CALLER, [name, url]);
      caller.once("exit", (code) => code && process.exit(code));
      processes.set(name, caller);
    }
    await compare(processes, 1, 2.5);
    await compare(processes, 64, 10);
  } finally {
    for (const child of [server, ...processes.values()]) child.kill();
  }
}

/** The clients run alternately in each round, so that other load on the machine affects all of them. */
async function compare(processes: ReadonlyMap<string, ChildProcess>, callers: number, atLeast: number): Promise<void> {
  const rates = new Map([...processes.keys()].map((name) => [name, [] as number[]]));
  for (const caller of processes.values()) await rate(caller, { callers, ms: ROUND_MS });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, caller] of processes) rates.get(name)?.push(await rate(caller, { callers, ms: ROUND_MS }));
  }
  const ratesOf = (name: string) => rates.get(name) ?? [];
  // Ratios are computed within a round, because the speed of the machine varies between rounds.
  const timesFetch = (name: string) =>
    median(ratesOf(name).map((rate, round) => rate / (ratesOf("fetch")[round] ?? 0)));
  console.log(`${callers} at once, calls a second, medians of ${ROUNDS}:`);
  for (const [name, label] of Object.entries(CALLERS)) {
    const figure = median(ratesOf(name)).toFixed(0).padStart(7);
    console.log(`  ${label.padEnd(24)} ${figure}  ${timesFetch(name).toFixed(2)} x fetch`);
  }
  bounded({ what: `${callers} at once, x fetch`, value: timesFetch("quern"), atLeast });
}

async function rate(caller: ChildProcess, round: Round): Promise<number> {
  caller.send(round);
  const [callsPerSecond] = await once(caller, "message");
  return callsPerSecond;
}
