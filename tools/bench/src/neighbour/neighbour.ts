import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { constants, getPriority, setPriority } from "node:os";
import { createQueryRun, getQueryRunResults } from "@quern/client";
import { bounded, elapsed, median } from "../measure.ts";
import { type Service, startService } from "../service.ts";

/** Number of measurements alone and beside the neighbour, which alternate. */
const ROUNDS = 4;
/** Time of each measurement, in milliseconds. */
const WINDOW_MS = 3_000;
const PROBE_MS = 10;

interface Figures {
  /** Median of `select 1` from its create to its rows, in milliseconds. */
  readonly runMs: number;
  /** 99th percentile of `/healthz`, in milliseconds. */
  readonly healthMs: number;
}

/**
 * Measures small runs and `/healthz` of the service, alone and beside a program that takes all processors, for each
 * value of the setting `priority`.
 */
export async function neighbour(): Promise<void> {
  const low = await ofPriority("low");
  const normal = await ofPriority("normal");
  for (const [priority, { quiet, busy }] of Object.entries({ low, normal }))
    console.log(
      `priority ${priority}: select 1 in ${quiet.runMs.toFixed(1)} ms alone, ${busy.runMs.toFixed(1)} ms beside the neighbour (medians); ` +
        `/healthz in ${quiet.healthMs.toFixed(1)} ms alone, ${busy.healthMs.toFixed(1)} ms beside it (p99)`,
    );
  const { quiet, busy } = normal;
  bounded({ what: "select 1 beside the neighbour / alone", value: busy.runMs / quiet.runMs, atMost: 3 });
  bounded({ what: "/healthz beside the neighbour, p99", value: busy.healthMs, atMost: 50, unit: " ms" });
}

/**
 * Gives this process precedence until the returned function is called, if the system permits it: delays of the client
 * are not those of the service. Processes that are started meanwhile would have it, too.
 */
function preferThisProcess(): () => void {
  const before = getPriority();
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
    return () => setPriority(before);
  } catch {
    console.log("this process has no precedence, so the times include delays of the client");
    return () => {};
  }
}

async function ofPriority(priority: string): Promise<{ readonly quiet: Figures; readonly busy: Figures }> {
  await using service = await startService({ priority });
  // A session of its own, like that of another program.
  const program = fork(new URL("./busy.ts", import.meta.url), { detached: true });
  await once(program, "message");
  const [quiet, busy] = [noTimes(), noTimes()];
  try {
    program.kill("SIGSTOP");
    await measure(service, noTimes()); // the process of the user starts
    for (let round = 0; round < ROUNDS; round += 1) {
      await measure(service, quiet);
      program.kill("SIGCONT");
      await measure(service, busy);
      program.kill("SIGSTOP");
    }
    return { quiet: figures(quiet), busy: figures(busy) };
  } finally {
    program.kill("SIGKILL");
  }
}

/** Times of runs and of calls of `/healthz`, in milliseconds. */
interface Times {
  readonly runs: number[];
  readonly health: number[];
}

function noTimes(): Times {
  return { runs: [], health: [] };
}

function figures({ runs, health }: Times): Figures {
  const percentile = health.toSorted((a, b) => a - b)[Math.floor(health.length * 0.99)] ?? Number.NaN;
  return { runMs: median(runs), healthMs: percentile };
}

/** Measures runs one after the other, and `/healthz` at an interval beside them. */
async function measure({ client, url }: Service, { runs, health }: Times): Promise<void> {
  const end = performance.now() + WINDOW_MS;
  const agent = new Agent({ keepAlive: true });
  const probe = async (): Promise<void> => {
    while (performance.now() < end) {
      health.push(await elapsed(() => status(`${url}/healthz`, agent)));
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  };
  const run = async (): Promise<void> => {
    for (let number = 0; performance.now() < end; number += 1) {
      runs.push(
        await elapsed(async () => {
          const { queryRun } = await createQueryRun(client, {
            sql: `select ${number} as n`,
            maxAgeMinutes: 0,
            waitSeconds: 50,
          });
          await getQueryRunResults(client, { queryRunId: queryRun.id });
        }),
      );
    }
  };
  const restore = preferThisProcess();
  await Promise.all([probe(), run()]).finally(restore);
  agent.destroy();
}

async function status(url: string, agent: Agent): Promise<void> {
  const [response] = await once(get(url, { agent }), "response");
  response.resume();
  await once(response, "end");
}
