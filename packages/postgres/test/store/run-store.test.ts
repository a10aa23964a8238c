import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { expect, it } from "vitest";
import type { Database, Row, Transaction } from "../../src/store/database.ts";
import type { Notices } from "../../src/store/notices.ts";
import { createPostgresRunStore } from "../../src/store/run-store.ts";

const { parameters: _, ...waiting } = createRun(submission().run, 0);

it.each([
  ["leaves a run that others have requested", [{}], "QUERY_STATE_READY", false],
  ["cancels a run with its last request", [], "QUERY_STATE_CANCELED", true],
] as const)("%s when a request is withdrawn", async (_, open, state, ended) => {
  const rows = async (text: string): Promise<readonly Row[]> => {
    if (text.startsWith("SELECT user_id FROM requests")) return [{ user_id: "ann" }];
    if (text.includes("withdrawn_at IS NULL")) return open;
    if (text.includes("FOR UPDATE")) return [{ record: JSON.stringify(waiting), parameters: null, version: 1 }];
    return [text.includes("now_ms() AS now") ? { now: 5 } : { version: 2 }];
  };
  const change: Notices["change"] = (work) => work({ rows } as unknown as Transaction, () => {});
  const store = createPostgresRunStore({} as Database, { change } as Notices, 0); // only a change is made
  const withdrawal = await store.withdraw({ runId: waiting.id, requestId: "req_1", userId: "ann" });
  expect(withdrawal).toMatchObject({ accepted: true, ended, run: { state } });
});
