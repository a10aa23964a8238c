import { type Client, createClient, startQuery, waitForRun } from "@quern/client";
import { bounded, median } from "./measure.ts";
import { startService } from "./service.ts";

const RUNS = 40;

interface Notice {
  /** Time from the end of the run until the client knows it, by the clock of this machine, in milliseconds. */
  readonly delayMs: number;
  /** The client's poll interval for a run of that age, in milliseconds. */
  readonly stepMs: number;
}

/** Measures the time from the end of a run until the client knows it, with long poll and without. */
export async function latency(): Promise<void> {
  await using service = await startService();
  const { url, apiKey } = service;
  const polling = createClient({ url, apiKey });
  polling.server.longPoll = false;
  const long: Notice[] = [];
  const short: Notice[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    // The runs end at different points of the poll interval.
    const sql = `select sum(sin(range)) from range(${5_000_000 + run * 1_000_000})`;
    long.push(await notice(service.client, sql));
    short.push(await notice(polling, sql));
  }
  const delay = median(long.map(({ delayMs }) => delayMs));
  const steps = median(short.map(({ delayMs, stepMs }) => delayMs / stepMs));
  console.log(
    `${RUNS} runs each, medians: with long poll ${delay.toFixed(1)} ms, without ${median(short.map(({ delayMs }) => delayMs)).toFixed(0)} ms`,
  );
  bounded({ what: "with long poll", value: delay, atMost: 10, unit: " ms" });
  bounded({ what: "without, in steps of the grid", value: steps, atMost: 1.2 });
}

async function notice(client: Client, sql: string): Promise<Notice> {
  const { queryRunId } = await startQuery(client, { sql });
  const start = Date.now();
  const { endedAt, errorMessage } = await waitForRun(client, queryRunId);
  const now = Date.now();
  if (endedAt === null || errorMessage !== null) throw new Error(errorMessage ?? "the run has no end");
  const end = Date.parse(endedAt);
  return { delayMs: now - end, stepMs: Math.min(2_000, Math.max(100, (end - start) / 4)) };
}
