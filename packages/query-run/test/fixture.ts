import { createRun, type NewRun, type RunRecord, type RunResult } from "../src/record.ts";
import { type RunEvent, transition } from "../src/transition.ts";

export const t0 = Date.UTC(2023, 3, 5, 20, 21, 22, 123);

export const result: RunResult = {
  columns: [
    { name: "n", kind: "number", engineType: "BIGINT" },
    { name: "__proto__", kind: "string", engineType: "VARCHAR" },
  ],
  rowCount: 3,
  totalBytes: 512,
};

const newRun: NewRun = {
  id: "run_1",
  tenantId: "tenant_1",
  userId: "user_1",
  sqlStatementId: "st_1",
  dataSourceId: "samples",
  reuseKey: "key",
  parameters: null,
  tags: { source: "test" },
  statementTimeoutSeconds: 1200,
  resultTTLHours: 1,
};

export function ready(change: Partial<NewRun> = {}, now = t0): RunRecord {
  return createRun({ ...newRun, ...change }, now);
}

/** Applies events one second apart; each must be accepted. */
export function after(run: RunRecord, ...events: readonly RunEvent[]): RunRecord {
  return events.reduce((current, event) => {
    const next = transition(current, event, current.updatedAt + 1000);
    if (!next.accepted) throw new Error(`${event.type} was refused: ${next.refusal}`);
    return next.run;
  }, run);
}

export function succeeded(change: Partial<NewRun> = {}, now = t0): RunRecord {
  return after(
    ready(change, now),
    { type: "claimed" },
    { type: "executed", attempt: 1 },
    { type: "committed", attempt: 1, result },
  );
}
