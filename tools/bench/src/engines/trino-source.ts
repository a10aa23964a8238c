import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { missingProgram, startTrino } from "../../../../packages/trino/test/engine/trino.ts";
import { installed } from "../installed.ts";
import { alternately, bounded, elapsed, median } from "../measure.ts";
import { finishedRun } from "../service.ts";
import { callerOf } from "../small-runs/small-runs.ts";
import { flatMemory } from "./flat-memory.ts";
import { type Fetched, rawFetch } from "./raw-fetch.ts";
import { DATA_SOURCE, startSourcedService } from "./sourced-service.ts";

const ROUNDS = 5;
const PEER_ROUNDS = 3;
const SINGLE_RUNS = 101;
const ORDERS = "SELECT * FROM tpch.sf1.orders";

/** Folder of the client that only this benchmark installs. */
const PEERS = fileURLToPath(new URL("./peers/", import.meta.url));

/**
 * Measures a statement on Trino from its create to its stored result, beside fetching the same segments without reading
 * them, and beside the package `trino-client`. Then `select 1`, and the memory of larger results.
 */
export async function trinoSource(): Promise<void> {
  const missing = missingProgram();
  if (missing !== undefined) return console.log(`Trino is not measured: ${missing}`);
  await using trino = await startTrino();
  const origin = `http://${trino.http}`;
  const start = () => startSourcedService(`trino://bench@${trino.http}/tpch/sf1`);
  await compareSegments(origin, start);
  await compareSingle(origin, start);
  await flatMemory("Trino", start, (millions) => `SELECT * FROM tpch.sf1.lineitem LIMIT ${millions}000000`);
}

type Start = () => ReturnType<typeof startSourcedService>;

async function compareSegments(origin: string, start: Start): Promise<void> {
  await using service = await start();
  let fetched: Fetched | undefined;
  const ours = () => finishedRun(service.client, ORDERS, { dataSource: DATA_SOURCE });
  const theirs = async (): Promise<void> => {
    fetched = await rawFetch(origin, ORDERS);
  };
  await alternately(2, ours, theirs); // the first ones of Trino are slow
  const times = await alternately(ROUNDS, ours, theirs);
  if (fetched === undefined) return;
  const { rows, segments, bytes } = fetched;
  console.log(
    `Trino, ${rows} rows x 9 in ${segments} segments (${(bytes / 1e6).toFixed(0)} MB), medians of ${ROUNDS}: stored result ${median(times.ours).toFixed(0)} ms, raw fetch ${median(times.theirs).toFixed(0)} ms`,
  );
  bounded({ what: "Trino, ratio to the raw fetch", value: median(times.ours) / median(times.theirs), atMost: 1.25 });
  const uncompressed: number[] = [];
  for (let round = 0; round < PEER_ROUNDS; round += 1)
    uncompressed.push(await elapsed(() => rawFetch(origin, ORDERS, "identity")));
  console.log(`raw fetch without gzip: ${median(uncompressed).toFixed(0)} ms (median of ${PEER_ROUNDS})`);
  const reason = installed(PEERS);
  if (reason !== undefined) return console.log(`without trino-client: ${reason}`);
  const taken: number[] = [];
  for (let round = 0; round < PEER_ROUNDS; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [`${PEERS}trino-client.mjs`, origin, ORDERS]);
    taken.push(Number(stdout));
  }
  console.log(
    `trino-client, which reads the rows from pages: ${median(taken).toFixed(0)} ms (median of ${PEER_ROUNDS})`,
  );
}

async function compareSingle(origin: string, start: Start): Promise<void> {
  await using service = await start();
  const ours = callerOf(service.client, { dataSource: DATA_SOURCE });
  const pair = [() => ours("select 1"), () => rawFetch(origin, "select 1")] as const;
  await alternately(10, ...pair);
  const times = await alternately(SINGLE_RUNS, ...pair);
  const [quern, bare] = [median(times.ours), median(times.theirs)];
  console.log(`select 1, medians of ${SINGLE_RUNS}: service ${quern.toFixed(1)} ms, Trino ${bare.toFixed(1)} ms`);
  bounded({ what: "select 1, added to Trino", value: quern - bare, unit: " ms", atMost: 30 });
}
