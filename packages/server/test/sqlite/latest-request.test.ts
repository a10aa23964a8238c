import type { DatabaseSync } from "node:sqlite";
import type { RequestRecord, RunRecord, RunState } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { prepareReads } from "../../src/sqlite/reads.ts";
import { insertManyRuns } from "./many-runs.ts";

let database: DatabaseSync;
beforeEach(() => {
  database = openDatabase(":memory:");
  return () => database.close();
});

/** Inserts requests of one statement, of which only the first succeeded. Returns the id of the statement. */
function insert(count: number, userId = "ann"): string {
  const stateOf = (index: number): RunState => (index === 0 ? "QUERY_STATE_SUCCESS" : "QUERY_STATE_FAILED");
  insertManyRuns(database, { count, tenantId: "t", userId, since: 0, stateOf });
  const row = database.prepare("SELECT sql_statement_id AS id FROM runs ORDER BY rowid DESC LIMIT 1").get();
  return String(row?.id);
}

/** Returns the time and the state of the request that is found. */
function latest(statementId: string, visible: { userId?: string; sources?: readonly string[] | null } = {}) {
  const found = prepareReads(database).latestRequest(statementId, { userId: undefined, sources: null, ...visible });
  if (found === undefined) return undefined;
  const [request, run] = [JSON.parse(found.request) as RequestRecord, JSON.parse(found.run) as RunRecord];
  expect(request.queryRunId).toBe(run.id);
  return [request.createdAt, run.state];
}

it("searches a success among the newest 100 requests of a statement, or else returns the newest", () => {
  expect(latest(insert(100))).toEqual([0, "QUERY_STATE_SUCCESS"]);
  expect(latest(insert(101))).toEqual([100_000, "QUERY_STATE_FAILED"]);
});

it("finds only requests of the user, and of runs on the data sources", () => {
  const statementId = insert(3);
  expect(latest(statementId, { userId: "ann" })).toEqual([0, "QUERY_STATE_SUCCESS"]);
  expect(latest(statementId, { userId: "bob" })).toBeUndefined();
  expect(latest(statementId, { sources: ["other", "test"] })).toEqual([0, "QUERY_STATE_SUCCESS"]);
  expect(latest(statementId, { sources: ["other"] })).toBeUndefined();
  expect(latest(statementId, { userId: "ann", sources: [] })).toBeUndefined();
  expect(latest("unknown")).toBeUndefined();
});
