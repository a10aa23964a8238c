import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { keepRuns, type Refusals, readPages, sendGarbage } from "./bounded-load.ts";
import { temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";

/** Alternates rounds without and with pages, so that other load on the machine affects both alike. */
const windows = 16;
/** Runs before the measured rounds, in which the caches fill. */
const warmUpRuns = 1_000;

export interface Loaded {
  readonly runs: number;
  /** Number of pages of 100,000 rows. */
  readonly pages: number;
  readonly refusals: Refusals;
  /** Memory of the server by time, without garbage, in megabytes. */
  readonly memory: readonly number[];
  /** 99th percentile of the delay of the event loop without and with pages, in milliseconds. */
  readonly delays: { readonly without: number; readonly pages: number };
}

/**
 * Starts a server in a process of its own, and loads it with twenty clients and one that sends only garbage.
 * @param runsOfRound number of runs of each round
 */
export async function loadServer(runsOfRound: number): Promise<Loaded> {
  const dataDir = await temporaryDirectory();
  const server = await startServerProcess(dataDir, "./bounded-process.ts");
  const refusals: Refusals = new Map();
  const large = await server.run("select range as n, 'row ' || range as name, range * 0.5 as half from range(500000)");
  if (large.state !== "QUERY_STATE_SUCCESS") throw new Error(`the large run is ${large.state}: ${large.errorMessage}`);

  const load = new AbortController();
  let ended = 0;
  const onRun = (): void => {
    ended += 1;
  };
  const clients = Array.from({ length: 20 }, () => keepRuns(server.url, 15, refusals, load.signal, onRun));
  const fool = sendGarbage(server.url, refusals, load.signal);
  const memory: number[] = [];
  const measure = async (what: "without" | "pages" | "neither"): Promise<Loaded["delays"]> => {
    const answer = once(server.process, "message");
    server.process.send?.(what);
    const [measured] = (await answer) as [Loaded["delays"] & { readonly memory: number }]; // sent by its script
    memory.push(measured.memory);
    return measured;
  };
  let pages = 0;
  for (let window = 0; memory.length < windows; window += 1) {
    const reads = window % 2 !== 0;
    const isWarm = ended >= warmUpRuns;
    await measure(reads ? "pages" : "without");
    if (!isWarm) memory.pop();
    const over = new AbortController();
    const readers = reads ? [1, 2].map(() => readPages(server.url, large.id, refusals, over.signal)) : [];
    for (const last = ended + runsOfRound; ended < last; ) await sleep(50);
    over.abort();
    for (const read of await Promise.all(readers)) pages += read;
  }
  const delays = await measure("neither");
  load.abort();
  await Promise.all(clients);
  await fool;
  const { rows } = await server.results({ queryRunId: large.id, page: { number: 1, size: 1 } });
  if (rows?.length !== 1) throw new Error(`the server answers ${rows?.length} rows after the load`);
  await server.end("SIGTERM");
  await rm(dataDir, { recursive: true });
  return { runs: ended, pages, refusals, memory, delays };
}
