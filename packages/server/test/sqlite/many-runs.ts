import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { createRequest, createRun, type RunState, type Tags } from "@quern/query-run/record";

export interface ManyRuns {
  readonly count: number;
  readonly tenantId: string;
  readonly userId: string;
  /** Time of the first run; each later run is one second younger. @default 2026-01-01 */
  readonly since?: number;
  /** State of each run by its number. @default all succeeded */
  readonly stateOf?: (index: number) => RunState;
  /** Tags of each run by its number. @default no tags */
  readonly tagsOf?: (index: number) => Tags;
}

/** Inserts ended runs with their requests into the database of a server, without the life cycle of each. */
export function insertManyRuns(database: DatabaseSync, options: ManyRuns): void {
  const { count, tenantId, userId, since = Date.UTC(2026, 0, 1) } = options;
  const { stateOf = () => "QUERY_STATE_SUCCESS", tagsOf = () => ({}) } = options;
  const run = database.prepare("INSERT INTO runs (id, record) VALUES (?, ?)");
  const request = database.prepare("INSERT INTO requests (id, record) VALUES (?, ?)");
  const asked = database.prepare(
    "INSERT INTO requested_runs (tenant_id, user_id, run_created_at, run_id) VALUES (?, ?, ?, ?)",
  );
  const statementId = `st_${randomBytes(12).toString("hex")}`;
  database.exec("BEGIN");
  for (let index = 0; index < count; index += 1) {
    // Random ids, as the service makes them: the order of creation is not the order of the ids.
    const id = randomBytes(12).toString("hex");
    const tags = tagsOf(index);
    const at = since + index * 1_000;
    const fresh = createRun(
      {
        id: `run_${id}`,
        tenantId,
        userId,
        sqlStatementId: statementId,
        dataSourceId: "test",
        reuseKey: randomBytes(32).toString("hex"),
        parameters: null,
        tags,
        statementTimeoutSeconds: 1_200,
        resultTTLHours: 1,
      },
      at,
    );
    const columns = Array.from({ length: 8 }, (_, column) => ({
      name: `column_${column}`,
      kind: "number" as const,
      engineType: "DECIMAL(18,2)",
    }));
    const times = { startedAt: at, queryRunningEndedAt: at, queryStreamingEndedAt: at, endedAt: at, updatedAt: at };
    const result = { columns, rowCount: 100, totalBytes: 10_000 };
    const ended = { ...fresh, ...times, state: stateOf(index), expiresAt: at, archivedAt: at, result };
    run.run(ended.id, JSON.stringify(ended));
    const asks = { id: `req_${id}`, userId, tags, maxAgeMinutes: 0, resultTTLHours: 1, idempotencyKey: null };
    request.run(asks.id, JSON.stringify(createRequest(asks, fresh, true, at)));
    asked.run(tenantId, userId, at, ended.id);
  }
  database.exec("COMMIT");
}
