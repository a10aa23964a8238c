import type { Store } from "@quern/adapter";
import { copyIdentity } from "../adapters/result-identity.ts";
import { readMarker, writeMarker } from "./marker.ts";
import { compareRecords, copyRecords, isEmpty, recordKinds } from "./records.ts";
import type { Comparison, Difference, Progress } from "./report.ts";

/** Fault of the target that an operator corrects. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

export interface StoreMigration {
  readonly source: Store;
  readonly target: Store;
  /** Source, in words. */
  readonly from: string;
  /** Target, in words. */
  readonly to: string;
  /** True compares the stores, and copies nothing. */
  readonly isCheck: boolean;
  readonly progress: Progress;
}

/** Records that were moved and compared. */
export interface MigratedRecords {
  readonly kinds: readonly Comparison[];
  readonly differences: readonly Difference[];
}

/** @throws {MigrationError} if the target has records of something else */
export async function checkTarget({ target, from, to }: StoreMigration): Promise<void> {
  const marker = await readMarker(target.settings);
  if (marker === undefined && !(await isEmpty(target.records)))
    throw new MigrationError(`not an empty store: ${to}; name an empty one, or compare the stores with --check`);
  if (marker !== undefined && marker.from !== from)
    throw new MigrationError(`target of a migration from ${marker.from}: ${to}; name an empty store`);
}

/**
 * Marks the target, and copies the records. The target stays marked as unfinished until {@link finishMigration}; does
 * nothing after that.
 */
export async function copyStore({ source, target, from, progress }: StoreMigration): Promise<void> {
  if ((await readMarker(target.settings))?.state === "done") return;
  await writeMarker(target.settings, { from, state: "copying" });
  for (const kind of recordKinds) await copyRecords(kind, source.records, target.records, progress);
  // The results can stay in the bucket of the source.
  await copyIdentity(source.settings, target.settings);
}

/** Compares the records of two stores. */
export async function compareStores({ source, target, progress }: StoreMigration): Promise<MigratedRecords> {
  const kinds: Comparison[] = [];
  const differences: Difference[] = [];
  for (const kind of recordKinds) {
    const { differences: found, ...comparison } = await compareRecords(kind, source.records, target.records);
    progress(kind, comparison.target);
    kinds.push(comparison);
    differences.push(...found);
  }
  return { kinds, differences };
}

/** Lets servers start on the target. */
export function finishMigration({ target, from }: StoreMigration): Promise<void> {
  return writeMarker(target.settings, { from, state: "done" });
}
