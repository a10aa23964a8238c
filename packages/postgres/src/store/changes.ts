import type { Instant, RunRecord } from "@quern/query-run/record";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import { conflict, type Queries } from "./database.ts";
import type { Note } from "./notices.ts";
import { type StoredRun, saveRun } from "./run-records.ts";

/**
 * Applies an event to a run that was read in the same transaction, and stores the run if the event is accepted.
 * @throws {@link conflict} if another writer has changed the run since
 */
export async function applyEvent(
  queries: Queries,
  note: Note,
  before: StoredRun,
  event: RunEvent,
  now: Instant,
): Promise<Transition> {
  const next = transition(before.run, event, now);
  if (next.accepted && next.run !== before.run) await save(queries, note, before, next.run);
  return next;
}

/** Stores a changed run. @throws {@link conflict} if another writer has changed it since it was read */
export async function save(queries: Queries, note: Note, before: StoredRun, run: RunRecord): Promise<void> {
  if (!(await saveRun(queries, before, run))) throw conflict;
  if (run.state !== before.run.state) note(run, before.version + 1);
}
