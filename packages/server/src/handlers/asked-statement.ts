import type { SqlStatement } from "@quern/protocol/types";
import type { RequestRecord, RunRecord } from "@quern/query-run/record";
import { toSqlStatement } from "@quern/query-run/wire";
import type { StatementText } from "../store/run-store.ts";

/**
 * A statement as a request has it: with the user and tags of the request, and the columns of the run that answers it.
 * Whoever else has sent the same text, to another source perhaps, stays out of it.
 */
export function askedStatement(statement: StatementText, request: RequestRecord, run: RunRecord): SqlStatement {
  const { userId, tags, createdAt } = request;
  const columns = run.result?.columns ?? null;
  const updatedAt = Math.max(request.updatedAt, run.endedAt ?? 0);
  return toSqlStatement({ ...statement, columns, userId, tags, createdAt, updatedAt });
}
