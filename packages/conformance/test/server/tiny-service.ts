import { createHandler, type Handler, MethodError } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import type { QueryRequest, QueryRun, SqlStatement } from "@quern/protocol/types";
import { readDocument } from "../../src/index.ts";

const now = "2026-11-20T09:30:00.000Z";

interface Known {
  run: QueryRun;
  readonly statement: SqlStatement;
}

function newRun(id: string, tags: QueryRun["tags"]): QueryRun {
  const nothing = {
    fileCount: null,
    lastFileNumber: null,
    fileNames: null,
    dataSourceQueryId: null,
    dataSourceSessionId: null,
  };
  const unended = { startedAt: null, queryRunningEndedAt: null, queryStreamingEndedAt: null, endedAt: null };
  const noError = { errorName: null, errorMessage: null, errorData: null };
  const record = { id, sqlStatementId: `st-${id}`, path: `2026/11/20/09/${id}`, dataSourceId: "tiny", userId: "user" };
  const sizes = { rowCount: null, totalSize: null, archivedAt: null, createdAt: now, updatedAt: now };
  return { ...record, state: "QUERY_STATE_READY", ...nothing, ...unended, ...noError, ...sizes, tags };
}

function ended(run: QueryRun): QueryRun {
  const times = { startedAt: now, queryRunningEndedAt: now, queryStreamingEndedAt: now, endedAt: now };
  return {
    ...run,
    state: "QUERY_STATE_SUCCESS",
    ...times,
    rowCount: 1,
    totalSize: "2",
    fileCount: 1,
    lastFileNumber: 1,
    fileNames: "f",
  };
}

/** The least service that the whole corpus passes on: every query has the one row `1`, and has run by the second look. */
export async function createTinyService(apiKey: string): Promise<Handler> {
  const known = new Map<string, Known>();

  function find(queryRunId: string): Known {
    const found = known.get(queryRunId);
    if (found === undefined)
      throw new MethodError(-32099, `There is no query run ${queryRunId}`, { data: { queryRunId } });
    return found;
  }

  return createHandler({
    methods: contract,
    document: await readDocument(),
    validateResults: true,
    authenticate(headers) {
      if (headers.get("x-api-key") !== apiKey) throw new MethodError(-32163, "The API key is missing or unknown");
      return "user";
    },
    handlers: {
      createQueryRun({ sql, tags = {}, maxAgeMinutes = 0, resultTTLHours: hours = 1, idempotencyKey = null }) {
        const resultTTLHours = hours === 0 ? 1 : hours;
        const run = newRun(`run-${known.size}`, tags);
        const ids = { sqlStatementId: run.sqlStatementId, userId: run.userId, tags, createdAt: now, updatedAt: now };
        const statement: SqlStatement = {
          ...ids,
          id: ids.sqlStatementId,
          statementHash: "0".repeat(64),
          sql,
          columnMetadata: null,
        };
        const choices = {
          maxAgeMinutes,
          resultTTLHours,
          idempotencyKey,
          userSkipCache: maxAgeMinutes === 0,
          triggeredQueryRun: true,
        };
        const queryRequest: QueryRequest = { ...ids, ...choices, id: `req-${known.size}`, queryRunId: run.id };
        known.set(run.id, { run, statement });
        return { queryRequest, queryRun: run, sqlStatement: statement };
      },
      getQueryRun({ queryRunId }) {
        const found = find(queryRunId);
        const queryRun = found.run;
        found.run = ended(queryRun);
        return { queryRun, redirectedToQueryRun: null };
      },
      getQueryRunResults({ queryRunId, format = "csv", page = {} }) {
        const { run, statement } = find(queryRunId);
        if (run.state !== "QUERY_STATE_SUCCESS")
          throw new MethodError(-32151, "The run has not ended", { data: { state: run.state } });
        const { number: currentPageNumber = 1, size: currentPageSize = 1000 } = page;
        const rows = currentPageNumber > 1 || currentPageSize === 0 ? [] : [format === "csv" ? [1] : { n: 1 }];
        const totals = { totalRows: 1, totalPages: currentPageSize === 0 ? 0 : 1 };
        const columns = { columnNames: ["n"], columnTypes: ["number"] };
        const about = { sql: statement.sql, format, originalQueryRun: run, redirectedToQueryRun: null };
        return { ...columns, rows, page: { currentPageNumber, currentPageSize, ...totals }, ...about };
      },
      cancelQueryRun({ queryRunId }) {
        const found = find(queryRunId);
        found.run = { ...ended(found.run), state: "QUERY_STATE_CANCELED" };
        return { canceledQueryRun: found.run, queryRun: found.run };
      },
      getSqlStatement({ sqlStatementId }) {
        const found = known.get(sqlStatementId.replace(/^st-/, ""));
        if (found === undefined)
          throw new MethodError(-32100, "There is no such statement", { data: { sqlStatementId } });
        return { sqlStatement: found.statement };
      },
      listQueryRuns: () => ({ queryRuns: [...known.values()].map(({ run }) => run).slice(0, 10), nextCursor: null }),
      describeQuery: () => ({
        columns: [{ name: "n", type: "number", engineType: "INTEGER", nullable: true }],
        parameters: [],
      }),
      getQueryRunDownload({ queryRunId, format }) {
        const { run } = find(queryRunId);
        if (format !== "csv") throw new MethodError(-32153, "The format is unknown", { data: { supported: ["csv"] } });
        if (run.state !== "QUERY_STATE_SUCCESS")
          throw new MethodError(-32151, "The run has not ended", { data: { state: run.state } });
        return { url: "http://127.0.0.1/results/tiny", expiresAt: now, contentType: "text/csv" };
      },
    },
  });
}
