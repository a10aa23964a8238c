import type { RunRecord } from "@quern/query-run/record";
import type { Database } from "./database.ts";
import type { VersionedNotice } from "./notices.ts";

/** Maximum delay in milliseconds from `noticed_at` of a change to its commit; a poll can miss later commits. */
const overlapMs = 5_000;
/** Number of changes that one poll reads. */
const maxChanges = 5_000;

const changes = `
  SELECT id, state, version, noticed_at FROM runs WHERE noticed_at >= $1 ORDER BY noticed_at LIMIT ${maxChanges}`;

/**
 * Creates a function that delivers notices of the changes since its last call, and repeats some earlier ones. It
 * finds what a lost notification would have reported. Its first call only records the time. A call during another one returns
 * at once; the other one then polls again.
 */
export function createPoll(database: Database, deliver: (notice: VersionedNotice) => void): () => Promise<void> {
  let since: number | undefined;
  let isPolling = false;
  let isRequested = false;

  async function poll(): Promise<void> {
    const [clock] = await database.rows("SELECT real_ms() AS now");
    const from = since;
    since = Number(clock?.now) - overlapMs;
    if (from === undefined) return;
    const rows = await database.rows(changes, from);
    const last = rows[maxChanges - 1];
    // If the page is full, the next call continues from its last change.
    if (last !== undefined) since = Math.min(since, Number(last.noticed_at));
    for (const { id, state, version } of rows) {
      // Only this package writes states.
      deliver({ runId: String(id), state: String(state) as RunRecord["state"], version: Number(version) });
    }
  }

  return async () => {
    isRequested = true;
    if (isPolling) return;
    isPolling = true;
    try {
      while (isRequested) {
        isRequested = false;
        await poll();
      }
    } finally {
      isPolling = false;
    }
  };
}
