import { setTimeout as sleep } from "node:timers/promises";
import { Flipside } from "@flipsidecrypto/sdk";
import { type Client, createClient, startQuery, waitForRun } from "@quern/client";
import { statementOf } from "./statements.ts";

/** Run whose id a client has received. */
export interface AcknowledgedRun {
  readonly runId: string;
  /** Number of its statement. */
  readonly number: number;
}

/** Clients that create runs, one after the other, and wait for the end of each. */
export interface Load {
  readonly acknowledged: readonly AcknowledgedRun[];
  /** Errors that the clients have got, and that their programs have answered with another attempt, by their text. */
  readonly errors: ReadonlyMap<string, number>;
  /** Resolves when all runs have ended, as far as their clients know. */
  readonly done: Promise<void>;
}

interface LoadOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Number of clients. Half of them are those of `@flipsidecrypto/sdk`. */
  readonly clients: number;
  readonly runs: number;
}

/** Creates runs of different statements, and waits for their ends. */
type Program = Readonly<{ create(sql: string): Promise<string>; end(runId: string): Promise<void> }>;

const retryMs = 200;

export function startLoad({ url, apiKey, clients, runs }: LoadOptions): Load {
  const acknowledged: AcknowledgedRun[] = [];
  const errors = new Map<string, number>();
  let next = 0;

  async function persist<T>(name: string, call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const text = `${name}: ${error}`.replaceAll(/run_\w+|:\d+/g, "…");
        errors.set(text, (errors.get(text) ?? 0) + 1);
        await sleep(retryMs);
      }
    }
  }

  async function work(name: string, program: Program): Promise<void> {
    while (next < runs) {
      const number = next;
      next += 1;
      const runId = await persist(`${name} create`, () => program.create(statementOf(number).sql));
      acknowledged.push({ runId, number });
      await persist(`${name} end`, () => program.end(runId));
    }
  }

  const programs = Array.from({ length: clients }, (_, n) =>
    n % 2 === 0
      ? work("ours", programOf(createClient({ url, apiKey })))
      : work("sdk", sdkProgramOf(new Flipside(apiKey, url))),
  );
  return { acknowledged, errors, done: Promise.all(programs).then(() => {}) };
}

function programOf(client: Client): Program {
  return {
    create: async (sql) => (await startQuery(client, { sql })).queryRunId,
    async end(runId) {
      await waitForRun(client, runId);
    },
  };
}

const finalStates = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];

function sdkProgramOf({ query }: Flipside): Program {
  return {
    create: async (sql) => (await query.createQueryRun({ sql, maxAgeMinutes: 0 })).id,
    async end(queryRunId) {
      while (!finalStates.includes((await query.getQueryRun({ queryRunId })).state)) await sleep(retryMs);
    },
  };
}
