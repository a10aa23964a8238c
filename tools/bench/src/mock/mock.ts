import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bounded, median } from "../measure.ts";
import { inProcess } from "./in-process.ts";
import { type MockProcess, startMock } from "./servers/process.ts";

const ROUNDS = 9;
/** Slow servers, which take a millisecond a poll, get a tenth of the polls. */
const pollsOf = (name: string): number => (name.startsWith("others/") ? 500 : 5_000);
/** Mock servers by the names of their scripts. The first two are the minimum. */
const SERVERS: Readonly<Record<string, string>> = {
  bare: "bare node:http",
  "bare-ajv": "the same, checked by ajv",
  quern: "@quern/mock-server",
  "open-rpc": "@open-rpc/mock-server",
  "others/prism": "Prism",
  "others/mockoon": "Mockoon",
};

/** Folder of the mock servers that only this benchmark installs. */
const OTHERS = fileURLToPath(new URL("./servers/others/", import.meta.url));

type Figures = ReadonlyMap<string, number[]>;

/** Compares the mock with a minimal `node:http` server and with other mock servers. */
export async function mock(): Promise<void> {
  const names = await present();
  const cold = await coldStarts(names);
  const cpu = await polls(names);
  console.log(`medians of ${ROUNDS}: start to first answer, processor time a request with 64 at once`);
  for (const name of names) {
    const start = `${median(cold.get(name) ?? []).toFixed(0)} ms (${times(cold, name, "bare").toFixed(2)} x)`;
    const request = `${median(cpu.get(name) ?? []).toFixed(1)} µs (${times(cpu, name, "bare").toFixed(2)} x)`;
    console.log(`  ${SERVERS[name]?.padEnd(24)} ${start}, ${request}`);
  }
  for (const bare of ["bare", "bare-ajv"]) {
    bounded({ what: `start, x ${SERVERS[bare]}`, value: times(cold, "quern", bare), atMost: 1.3 });
    bounded({ what: `processor time a request, x ${SERVERS[bare]}`, value: times(cpu, "quern", bare), atMost: 1.3 });
  }
  await inProcess();
}

/** Returns the names of the servers that are available: large ones may fail to install, or to start with this Node. */
async function present(): Promise<readonly string[]> {
  const missing = installOthers();
  const names: string[] = [];
  for (const name of Object.keys(SERVERS)) {
    try {
      if (missing !== undefined && name.startsWith("others/")) throw new Error(missing);
      await using _ = await startMock(name);
      names.push(name);
    } catch (error) {
      if (!name.startsWith("others/")) throw error;
      console.log(`without ${SERVERS[name]}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return names;
}

/** The servers run alternately in each round, so that other load on the machine affects all of them. */
async function coldStarts(names: readonly string[]): Promise<Figures> {
  const figures = new Map(names.map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, found] of figures) {
      await using server = await startMock(name);
      found.push(server.coldMs);
    }
  }
  return figures;
}

async function polls(names: readonly string[]): Promise<Figures> {
  const figures = new Map(names.map((name): [string, number[]] => [name, []]));
  await using servers = new AsyncDisposableStack();
  const running = new Map<string, MockProcess>();
  for (const name of names) running.set(name, servers.use(await startMock(name)));
  for (const [name, server] of running) await server.pollUs(3 * pollsOf(name));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, server] of running) figures.get(name)?.push(await server.pollUs(pollsOf(name)));
  }
  return figures;
}

/** Returns the median ratio of two servers over the rounds. */
function times(figures: Figures, name: string, bare: string): number {
  const least = figures.get(bare) ?? [];
  return median((figures.get(name) ?? []).map((figure, round) => figure / (least[round] ?? 0)));
}

/** Installs the packages of {@link OTHERS} once. Returns npm's message if it fails. */
function installOthers(): string | undefined {
  if (existsSync(`${OTHERS}node_modules/.package-lock.json`)) return undefined;
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: OTHERS, encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n")[0]);
}
