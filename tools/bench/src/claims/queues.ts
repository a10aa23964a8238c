import type { Submission } from "@quern/adapter";
import { createPostgresStore } from "@quern/postgres";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { PgBoss } from "pg-boss";

/** Queue of jobs on PostgreSQL. A job has an id and no work. */
export interface Queue {
  add(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Worker in a process of its own. */
interface QueueWorker {
  close(): Promise<void>;
}

export interface QueueKind {
  open(url: string): Promise<Queue>;
  /**
   * Starts a worker.
   * @param slots maximum number of jobs that it performs at the same time
   * @param started called with the id of each job when it is claimed
   * @param finished called when the end of a job is stored
   */
  work(url: string, slots: number, started: (id: string) => void, finished: () => void): Promise<QueueWorker>;
}

const name = "job";

/** Jobs of 4 tenants with 5 users each, whose caps are checked and never reached. */
function submissionOf(id: string): Submission {
  const number = Number(id);
  const statement = { id: `st_${id}`, sql: `select ${id}`, statementHash: `hash_${id}` };
  return {
    run: {
      id,
      tenantId: `tenant_${number % 4}`,
      userId: `user_${number % 5}`,
      sqlStatementId: statement.id,
      dataSourceId: "source",
      reuseKey: `key_${id}`,
      parameters: null,
      tags: {},
      statementTimeoutSeconds: 60,
      resultTTLHours: 1,
    },
    request: { id: `req_${id}`, maxAgeMinutes: 0, resultTTLHours: 1 },
    statement,
    caps: { maxUnfinishedRuns: 100_000, maxRunningRuns: 1_000 },
    idempotency: null,
  };
}

const failure = { name: "Done", message: "done", data: { category: "USER" as const, retryable: false } };

const quern: QueueKind = {
  async open(url) {
    const store = await createPostgresStore({ url });
    return { add: async (id) => void (await store.runs.submit(submissionOf(id))), close: () => store.close() };
  },
  async work(url, slots, started, finished) {
    const store = await createPostgresStore({ url });
    const lease = { owner: String(process.pid), ms: 30_000 };
    let free = slots;
    async function takeOne(): Promise<void> {
      free -= 1;
      const claimed = await store.runs.claim(lease);
      if (claimed !== undefined) {
        started(claimed.run.id);
        await store.runs.apply(claimed.run.id, { type: "failed", attempt: claimed.run.attempt, failure });
        finished();
      }
      free += 1;
      if (claimed !== undefined) fill();
    }
    function fill(): void {
      for (let slot = free; slot > 0; slot -= 1) void takeOne();
    }
    const unsubscribe = store.subscribe(({ state }) => state === "QUERY_STATE_READY" && fill());
    fill();
    return {
      async close() {
        unsubscribe();
        await store.close();
      },
    };
  },
};

const silent = new Logger(() => () => {});

/** Without its local queue, which claims jobs in advance. */
const graphileWorker: QueueKind = {
  async open(url) {
    const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
    await utils.migrate();
    return {
      add: async (id) => void (await utils.addJob(name, { id })),
      close: async () => void (await utils.release()),
    };
  },
  async work(url, slots, started, finished) {
    const runner = await run({
      connectionString: url,
      concurrency: slots,
      noHandleSignals: true,
      logger: silent,
      pollInterval: 2_000,
      taskList: {
        [name]: (payload) => {
          if (typeof payload === "object" && payload !== null && "id" in payload) started(String(payload.id));
        },
      },
    });
    runner.events.on("job:complete", finished);
    return { close: () => runner.stop() };
  },
};

/** Polls again at once after a job, and 500 ms later if there was none, its shortest interval. */
const pgBoss: QueueKind = {
  async open(url) {
    const boss = new PgBoss({ connectionString: url });
    await boss.start();
    await boss.createQueue(name);
    return { add: async (id) => void (await boss.send(name, { id })), close: () => boss.stop() };
  },
  async work(url, slots, started, finished) {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    await boss.start();
    let closing = false;
    const loops = Array.from({ length: slots }, async () => {
      while (!closing) {
        const jobs = await boss.fetch<{ id: string }>(name);
        for (const { id, data } of jobs) {
          started(data.id);
          await boss.complete(name, id);
          finished();
        }
        if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
      }
    });
    return {
      async close() {
        closing = true;
        await Promise.all(loops);
        await boss.stop();
      },
    };
  },
};

export const queueKinds: Readonly<Record<string, QueueKind>> = {
  quern,
  "graphile-worker": graphileWorker,
  "pg-boss": pgBoss,
};
