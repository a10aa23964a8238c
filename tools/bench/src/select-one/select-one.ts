import { fork } from "node:child_process";
import { once } from "node:events";
import { createQueryRun, getQueryRunResults } from "@quern/client";
import { alternately, bounded, median } from "../measure.ts";
import { startService } from "../service.ts";

const ROUNDS = 31;
/** Pause between two rounds, so that each starts on an idle process, in milliseconds. */
const PAUSE_MS = 400;

/**
 * Measures `select 1` from its create to its rows, beside the cost of isolation alone: a fresh locked instance, `COPY`
 * and reading back in a warm child process.
 */
export async function selectOne(): Promise<void> {
  await using service = await startService();
  const child = fork(new URL("./locked-child.ts", import.meta.url));
  await once(child, "message");
  const theirs = async (): Promise<void> => {
    child.send({ sql: "select 1 as n", folder: service.folder });
    const [rows] = await once(child, "message");
    if (rows !== 1) throw new Error(`the peer answered ${rows} rows`);
  };
  const ours = async (): Promise<void> => {
    const { queryRun } = await createQueryRun(service.client, { sql: "select 1 as n", waitSeconds: 50 });
    const { rows } = await getQueryRunResults(service.client, { queryRunId: queryRun.id });
    if (rows?.length !== 1) throw new Error(`the service answered ${rows?.length} rows`);
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  try {
    await alternately(5, ours, theirs);
    const times = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause();
      const one = await alternately(1, ours, async () => {});
      await pause();
      const other = await alternately(1, theirs, async () => {});
      times.ours.push(...one.ours);
      times.theirs.push(...other.ours);
    }
    console.log(
      `select 1, medians of ${ROUNDS}: service ${median(times.ours).toFixed(1)} ms, locked instance in a warm child ${median(times.theirs).toFixed(1)} ms`,
    );
    bounded({ what: "ratio", value: median(times.ours) / median(times.theirs), atMost: 3 });
  } finally {
    child.kill();
  }
}
