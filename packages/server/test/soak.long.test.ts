import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addToSource, loadSource } from "@quern/duckdb/loading";
import { issueKey } from "@quern/server/administration";
import { expect, it, onTestFinished } from "vitest";
import { createTestClient, eventually, temporaryDirectory } from "./fixture.ts";
import { killIfRunning, processesInside } from "./inside-processes.ts";
import type { LiveMemory } from "./live-memory.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { keepLoading, type Outcome } from "./soak-load.ts";

/** For a longer run by hand: `QUERN_SOAK_RUNS=6000`. */
const runs = Number(process.env.QUERN_SOAK_RUNS ?? 250);
const users = ["ann", "ben", "cid", "dan", "eve"];
const lanes = 2;
const sampleMs = 1_000;
/** The limits of the server: its idle processes, runs, descriptions and the warm process; and some that are just ending. */
const mostChildren = 8 + 4 + 4 + 1 + 4;

interface Sample {
  readonly server: number;
  readonly serverObjects: number;
  readonly serverFiles: number;
  readonly child: number;
  readonly childFiles: number;
  readonly children: number;
}

const name = `keeps the memory and files of the server and its processes for ${runs} mixed runs, and loses none`;
it(name, { timeout: 400_000 + runs * 1_000 }, async () => {
  const dataDir = await temporaryDirectory();
  const orders = join(dataDir, "orders.csv");
  let version = 0;
  const writeOrders = (): Promise<void> => writeFile(orders, `version\n${`${version + 1}\n`.repeat(1_000)}`);
  await writeOrders();
  const place = { dataDir, source: "shop" };
  await addToSource(place, { from: orders });
  version = 1;
  let server = await startSoakServer(dataDir);
  onTestFinished(() => void server.process.kill("SIGKILL")); // a server that a failure leaves would keep its output open
  const keys = await Promise.all(users.map((user) => issueKey({ dataDir, user })));

  const over = new AbortController();
  const outcome: Outcome = { counts: new Map(), mistakes: [], killsBefore: new Map(), kills: 0 };
  // A run fails whose process is lost three times, so none is there for more than two kills, one of them of its server.
  const mayKill = (): boolean => outcome.kills < Math.min(...outcome.killsBefore.values()) + 1;
  const loads = users.flatMap((user, index) =>
    Array.from({ length: lanes }, (_, lane) => {
      const client = () => createTestClient(server.url, keys[index]?.key);
      return keepLoading({ client, user, version: () => version }, index * lanes + lane, outcome, over.signal);
    }),
  );
  const all = Promise.all(loads);
  all.catch(() => over.abort()); // awaited below

  const samples: Sample[] = [];
  let [reloads, spills] = [0, 0];
  const ended = (): number => [...outcome.counts.values()].reduce((sum, count) => sum + count, 0);
  let isServerKilled = false;
  for (let second = 0; ended() < runs && !over.signal.aborted; second += sampleMs / 1_000) {
    await sleep(sampleMs);
    const children = (await processesInside(dataDir)).filter(({ directory }) =>
      basename(directory).startsWith("worker-"),
    );
    samples.push(await sampleOf(server, children));
    spills += await spillFiles(dataDir);
    // Within the first fifth, which is not compared.
    if (!isServerKilled && ended() > runs / 10) {
      isServerKilled = true;
      await server.end("SIGKILL");
      server = await startSoakServer(dataDir);
    } else if (second % 7 === 0 && mayKill()) {
      const victim = children[outcome.kills % Math.max(children.length, 1)];
      if (victim !== undefined) killIfRunning(victim.pid);
      outcome.kills += 1;
    } else if (second % 5 === 0) {
      await writeOrders();
      await loadSource(place);
      version += 1;
      reloads += 1;
    }
  }
  over.abort();
  await all.catch(async (error: unknown) => {
    await server.end("SIGKILL");
    throw error;
  });
  await server.end("SIGTERM");

  const fifth = (number: number): readonly Sample[] =>
    samples.slice((samples.length * (number - 1)) / 5, (samples.length * number) / 5);
  const sizes = (number: number): Sample => ({
    server: median(fifth(number).map((each) => each.server)),
    serverObjects: median(fifth(number).map((each) => each.serverObjects)),
    serverFiles: median(fifth(number).map((each) => each.serverFiles)),
    // The least: statements that run at the moment use more, and those of a fifth can be large ones.
    child: Math.min(...fifth(number).map((each) => each.child)),
    // The most: a child has more open files while its statement reads a source or spills.
    childFiles: Math.max(...fifth(number).map((each) => each.childFiles)),
    children: median(fifth(number).map((each) => each.children)),
  });
  const [second, last] = [sizes(2), sizes(5)];
  console.log(
    `${ended()} runs (${JSON.stringify([...outcome.counts])}), ` +
      `${outcome.kills} processes and one server killed, ${reloads} reloads, ${spills} samples with spilled files; by fifths:\n` +
      [1, 2, 3, 4, 5].map((number) => JSON.stringify(sizes(number))).join("\n"),
  );
  expect(outcome.mistakes).toEqual([]);
  expect([...outcome.counts.keys()].sort()).toEqual([...kinds].sort());
  expect(Math.max(...samples.map(({ children }) => children))).toBeLessThanOrEqual(mostChildren);
  if (process.platform === "linux") {
    expect(spills).toBeGreaterThan(0);
    expect(last.serverObjects).toBeLessThanOrEqual(second.serverObjects + 8);
    // Resident memory also grows in one step of 20 MB, by threads that run for the first time.
    expect(last.server).toBeLessThanOrEqual(1.3 * second.server);
    expect(last.child).toBeLessThanOrEqual(1.15 * second.child);
    expect(last.serverFiles).toBeLessThanOrEqual(second.serverFiles + 8);
    expect(last.childFiles).toBeLessThanOrEqual(second.childFiles + 2);
  }
  await eventually(async () => (await processesInside(dataDir)).length === 0);
  expect(await readdir(dataDir)).not.toContain("work");
  await rm(dataDir, { recursive: true });
});

/** Starts a server, and its two threads that read the store. Otherwise, they would start with the first run that waits. */
async function startSoakServer(dataDir: string): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, "./soak-process.ts");
  const { sqlStatementId } = await server.run("select 1");
  await server.call("getSqlStatement", { sqlStatementId });
  await server.call("listQueryRuns", {});
  return server;
}

const kinds = ["small", "failing", "canceled", "pivot", "parameters", "source", "spilling"];

async function sampleOf(
  { process: server }: ServerProcess,
  children: readonly { readonly pid: number }[],
): Promise<Sample> {
  const answer = once(server, "message");
  server.send("memory");
  const [memory] = (await answer) as [LiveMemory]; // as soak-process.ts sends
  const ofChildren = await Promise.all(children.map(({ pid }) => sizesOf(pid)));
  return {
    server: memory.resident,
    serverObjects: memory.objects,
    serverFiles: (await sizesOf(server.pid ?? 0)).files,
    child: median(ofChildren.map((each) => each.megabytes)),
    childFiles: Math.max(0, ...ofChildren.map((each) => each.files)),
    children: children.length,
  };
}

/** Returns the resident memory and the open files of a process; 0 if it has just ended, and without /proc. */
async function sizesOf(pid: number): Promise<{ readonly megabytes: number; readonly files: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return { megabytes: Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000), files: files.length };
}

/** Returns 1 if a statement has spilled files at the moment, otherwise 0. */
async function spillFiles(dataDir: string): Promise<number> {
  const names = await readdir(join(dataDir, "work"), { recursive: true }).catch(() => []);
  return names.some((name) => /^worker-[^/]*\/spill\/./.test(name)) ? 1 : 0;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
