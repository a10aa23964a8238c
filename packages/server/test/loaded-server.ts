import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ListQueryRunsParams, ListQueryRunsResult } from "@quern/protocol/types";
import { keepRuns, type Refusals, readPages, sendGarbage } from "./bounded-load.ts";
import { temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";

/** Rounds without pages alternate with rounds with pages, so that other load on the machine affects both alike. */
const rounds = 6;
const unfinished: ListQueryRunsParams = {
  states: ["QUERY_STATE_READY", "QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"],
};

export interface Loaded {
  readonly runs: number;
  /** Number of pages of 100,000 rows. */
  readonly pages: number;
  readonly refusals: Refusals;
  /** Memory of the server's objects at rest, after each half of the load, in megabytes. */
  readonly memory: readonly [number, number];
  readonly delays: Delays;
}

/** 99th percentile of the delay of the event loop without and with pages, in milliseconds. */
interface Delays {
  readonly without: number;
  readonly pages: number;
}

/** Message of the script of the server. */
interface Measured extends Delays {
  /** In megabytes. */
  readonly memory: number;
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

  let ended = 0;
  let pages = 0;
  const measure = async (what: "without" | "pages" | "neither"): Promise<Measured> => {
    const answer = once(server.process, "message");
    server.process.send?.(what);
    const [measured] = (await answer) as [Measured]; // sent by its script
    return measured;
  };
  /** Loads the server for some rounds, and returns what it measures after the last request and run have ended. */
  async function underLoad(): Promise<Measured> {
    const load = new AbortController();
    const onRun = (): void => {
      ended += 1;
    };
    const clients = Array.from({ length: 20 }, () => keepRuns(server.url, 15, refusals, load.signal, onRun));
    const fool = sendGarbage(server.url, refusals, load.signal);
    for (let round = 0; round < rounds; round += 1) {
      const reads = round % 2 !== 0;
      await measure(reads ? "pages" : "without");
      const over = new AbortController();
      const readers = reads ? [1, 2].map(() => readPages(server.url, large.id, refusals, over.signal)) : [];
      for (const last = ended + runsOfRound; ended < last; ) await sleep(50);
      over.abort();
      for (const read of await Promise.all(readers)) pages += read;
    }
    await measure("neither");
    load.abort();
    await Promise.all([...clients, fool]);
    while ((await server.call<ListQueryRunsResult>("listQueryRuns", unfinished)).queryRuns.length > 0) await sleep(200);
    return await measure("neither");
  }
  const first = await underLoad();
  const second = await underLoad();
  const { rows } = await server.results({ queryRunId: large.id, page: { number: 1, size: 1 } });
  if (rows?.length !== 1) throw new Error(`the server answers ${rows?.length} rows after the load`);
  await server.end("SIGTERM");
  await rm(dataDir, { recursive: true });
  return { runs: ended, pages, refusals, memory: [first.memory, second.memory], delays: second };
}
