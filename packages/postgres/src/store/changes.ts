import type { Instant, RunRecord } from "@quern/query-run/record";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import { conflict, type Database, type Queries } from "./database.ts";
import type { AddNotice, Notices } from "./notices.ts";
import { type ChangedRun, runColumns, type StoredRun, saveRun, storedRun } from "./run-records.ts";

/**
 * Applies an event to a run that was read in the same transaction, and stores the run if the event is accepted.
 * @throws {@link conflict} if another writer has changed the run since
 */
export async function applyEvent(
  queries: Queries,
  addNotice: AddNotice,
  before: StoredRun,
  event: RunEvent,
  now: Instant,
): Promise<Transition> {
  const next = transition(before.run, event, now);
  if (next.accepted && next.run !== before.run) await save(queries, addNotice, before, next.run);
  return next;
}

/** Stores a changed run. @throws {@link conflict} if another writer has changed it since it was read */
export async function save(queries: Queries, addNotice: AddNotice, before: StoredRun, run: RunRecord): Promise<void> {
  if (!(await saveRun(queries, { before, run }))) throw conflict;
  if (run.state !== before.run.state) addNotice(run, before.version + 1);
}

const maxTries = 20;

/** True for a result that is stored only within the quota of its tenant, which takes a transaction. */
export function hasQuota(event: RunEvent): event is RunEvent & { readonly maxStoredBytes: number } {
  return event.type === "committed" && event.maxStoredBytes !== undefined;
}

/** Applies an event by compare-and-set: two statements, of which the second changes the run if it is as it was read. */
export async function applyAlone(
  database: Database,
  notices: Notices,
  runId: string,
  event: RunEvent,
): Promise<Transition | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const [row] = await database.rows(`SELECT ${runColumns}, now_ms() AS now FROM runs WHERE id = $1`, runId);
    if (row === undefined) return undefined;
    const before = storedRun(row);
    const next = transition(before.run, event, Number(row.now));
    if (!next.accepted || next.run === before.run) return next;
    const change = { before, run: next.run };
    const saved = await saveWithin(database, change, event);
    if (saved === "StorageQuotaExceeded") return { accepted: false, refusal: saved };
    if (saved === "changed") continue;
    notices.publishRuns([change]);
    return next;
  }
  throw conflict;
}

/**
 * Stores a changed run, a result only within the quota of its tenant. A trigger adds the size of the result to the sum of
 * the tenant, whose row stays locked until the commit, so that no result is added in between.
 * @returns `changed` if another writer has changed the run since it was read
 */
async function saveWithin(
  database: Database,
  change: ChangedRun,
  event: RunEvent,
): Promise<"saved" | "changed" | "StorageQuotaExceeded"> {
  const outcomeOf = (isSaved: boolean) => (isSaved ? "saved" : "changed");
  if (!hasQuota(event)) return outcomeOf(await saveRun(database, change));
  const { maxStoredBytes } = event;
  try {
    return await database.transaction(async (queries) => {
      const isSaved = await saveRun(queries, change);
      const [sum] = await queries.rows("SELECT bytes FROM stored_bytes WHERE tenant_id = $1", change.run.tenantId);
      if (isSaved && Number(sum?.bytes) > maxStoredBytes) throw overQuota;
      return outcomeOf(isSaved);
    });
  } catch (error) {
    if (error === overQuota) return "StorageQuotaExceeded";
    throw error;
  }
}

/** Rolls a transaction back, because the tenant would have too many bytes. */
const overQuota = new Error("the storage quota of the tenant is exceeded");
