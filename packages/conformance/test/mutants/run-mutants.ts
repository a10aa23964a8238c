import { type Mutant, mutant, params, results, runs } from "./mutant.ts";

/** Faults of the states of runs, of reuse, idempotency keys and cancels. */
export const runMutants: readonly Mutant[] = [
  mutant(
    "answers that a failed run has succeeded without rows",
    "RUN-005",
    runs((run) => {
      if (run.state !== "QUERY_STATE_FAILED") return;
      const at = run.endedAt;
      Object.assign(run, { state: "QUERY_STATE_SUCCESS", errorName: null, errorMessage: null, rowCount: 0 });
      Object.assign(run, { totalSize: "0", queryRunningEndedAt: at, queryStreamingEndedAt: at });
    }),
  ),
  mutant(
    "keeps the reason of a failed run to itself",
    "RUN-005",
    runs((run) => {
      run.errorMessage = null;
    }),
  ),
  mutant(
    "answers that each run was made for its request",
    "REUSE-001",
    results("createQueryRun", ({ result }) => {
      result.queryRequest.triggeredQueryRun = true;
    }),
  ),
  mutant(
    "reuses results of other statements",
    "REUSE-002",
    params("createQueryRun", (given) => {
      given.sql = given.sql?.replace(/ -- another$/, "");
    }),
  ),
  mutant(
    "never reuses a result",
    "REUSE-001",
    params("createQueryRun", (given) => {
      given.maxAgeMinutes = 0;
    }),
  ),
  mutant("ignores idempotency keys", "IDEM-001", () => {
    let calls = 0;
    return params("createQueryRun", (given) => {
      if (given.idempotencyKey) given.idempotencyKey += ` ${++calls}`;
    })();
  }),
  mutant("answers a cancel without canceling", "CANCEL-008", () => ({
    call: (call) => {
      if (call.method === "cancelQueryRun" && call.params[0]?.queryRunId?.startsWith("run_"))
        call.method = "getQueryRun";
    },
    reply: ({ call, reply }) => {
      if (call.method === "getQueryRun" && reply.result)
        reply.result.canceledQueryRun = { ...reply.result.queryRun, state: "QUERY_STATE_CANCELED" };
    },
  })),
  mutant(
    "ignores the request of a withdrawal",
    "CANCEL-004",
    params("cancelQueryRun", (given) => {
      if (given.queryRequestId !== "no-such-request") given.queryRequestId = undefined;
    }),
  ),
  mutant("refuses to cancel a canceled run", "CANCEL-009", () => {
    const canceled = new Set<string>();
    return {
      reply: ({ call, reply }) => {
        const id = reply.result?.queryRun?.id;
        if (call.method !== "cancelQueryRun" || id === undefined) return;
        if (canceled.has(id)) {
          delete reply.result;
          reply.error = { code: -32165, message: "ended", data: { queryRunId: id, state: "QUERY_STATE_CANCELED" } };
        }
        canceled.add(id);
      },
    };
  }),
  mutant(
    "returns the tags of the run with a request that reuses it",
    "REUSE-003",
    results("createQueryRun", ({ result }) => {
      result.queryRequest.tags = result.queryRun.tags;
    }),
  ),
  mutant("refuses to cancel", "CANCEL-008", () => ({
    reply: ({ call, reply }) => {
      if (call.method !== "cancelQueryRun" || !reply.result?.queryRun) return;
      delete reply.result;
      reply.error = { code: -32165, message: "ended", data: { state: "QUERY_STATE_SUCCESS" } };
    },
  })),
  mutant(
    "answers that a canceled run has failed",
    "CANCEL-008",
    runs((run) => {
      if (run.state !== "QUERY_STATE_CANCELED") return;
      Object.assign(run, { state: "QUERY_STATE_FAILED", errorName: "Canceled", errorMessage: "canceled" });
    }),
  ),
  mutant("returns an empty page for a run that has not ended", "CANCEL-008", () => ({
    reply: ({ call, reply }) => {
      if (call.method !== "getQueryRunResults" || reply.error?.code !== -32151) return;
      const page = { currentPageNumber: 1, currentPageSize: 1000, totalRows: 0, totalPages: 0 };
      const names = { columnNames: [], columnTypes: [], rows: [], sql: null, format: "csv" };
      reply.result = { ...names, page, originalQueryRun: null, redirectedToQueryRun: null };
      delete reply.error;
    },
  })),
  mutant(
    "gives times of the end before the start",
    "RUN-001",
    runs((run) => {
      if (run.startedAt && run.endedAt) run.startedAt = new Date(Date.parse(run.endedAt) + 1000).toISOString();
    }),
  ),
];
