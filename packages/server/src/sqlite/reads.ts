import type { DatabaseSync } from "node:sqlite";
import type { RunCounts, RunPage, RunQuery, UnfinishedRuns, UsageRecord } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { WaitReasons } from "@quern/query-run/wire";
import { prepareRunCounts, prepareUnfinishedRuns } from "./queue.ts";
import { prepareQueuePosition, type QueuedRun } from "./queue-position.ts";
import { latestRequestStatement, listStatement, type SqlStatement } from "./run-list.ts";
import { runPage } from "./run-page.ts";
import { searchRuns } from "./run-search.ts";
import { prepareTenantUsage, prepareUsageRecords } from "./usage-records.ts";

/** Reads whose work grows with the data. Records are returned as JSON texts, which are fast to pass between threads. */
export interface Reads {
  list(query: RunQuery, now: Instant, reasons: WaitReasons): RunPage;
  latestRequest(
    sqlStatementId: string,
    visible: Pick<RunQuery, "userId" | "sources">,
  ): { readonly request: string; readonly run: string } | undefined;
  expired(now: Instant): readonly string[];
  counts(): RunCounts;
  queuePosition(run: QueuedRun): number | undefined;
  unfinished(tenantId: string): readonly UnfinishedRuns[];
  usage(month: string | undefined): readonly UsageRecord[];
  usageOfTenant(tenantId: string, month: string): readonly UsageRecord[];
}

/** Prepares the reads on a connection. They are synchronous. */
export function prepareReads(database: DatabaseSync): Reads {
  const expired = database.prepare("SELECT record FROM runs WHERE archived_at IS NULL AND expires_at <= ? LIMIT 1000");
  const rows = ({ text, values }: SqlStatement) => database.prepare(text).all(...values);
  return {
    list(query, now, reasons) {
      const count = (counting: SqlStatement) => Number(rows(counting)[0]?.n);
      if (query.text !== undefined) {
        const { records, next } = searchRuns(database, query, query.text, count);
        return { ...runPage(records, query.limit, now, reasons), next };
      }
      const statement = listStatement({ ...query, limit: query.limit + 1 }, count);
      const records = rows(statement).map(({ record }) => String(record));
      return runPage(records, query.limit, now, reasons);
    },
    latestRequest(sqlStatementId, visible) {
      const [row] = rows(latestRequestStatement(sqlStatementId, visible));
      return row && { request: String(row.request), run: String(row.run) };
    },
    expired: (now) => expired.all(now).map(({ record }) => String(record)),
    counts: prepareRunCounts(database),
    queuePosition: prepareQueuePosition(database),
    unfinished: prepareUnfinishedRuns(database),
    usage: prepareUsageRecords(database),
    usageOfTenant: prepareTenantUsage(database),
  };
}
