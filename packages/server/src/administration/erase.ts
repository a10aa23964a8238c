import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ErasedRecords, RunStore, SettingStore, UploadStore } from "@quern/adapter";
import type { StorageOptions } from "../adapters/storage-options.ts";
import { firstTenant } from "../identity/api-key.ts";
import { changeDataDirectory, type ServiceLocation } from "./open-directory.ts";

export interface UserToErase {
  readonly dataDir: ServiceLocation;
  /** @default the tenant of the first key */
  readonly tenant?: string | undefined;
  /** Any text: the names in tokens of an identity provider have no fixed form. */
  readonly user: string;
}

export interface Erased extends ErasedRecords {
  /** Keys of the user that are still valid: a call with one of them stores new data. */
  readonly activeKeys: number;
}

/** Maximum number of runs that one transaction erases, so that changes of a running server can happen in between. */
const batchSize = 500;

/**
 * Erases the statements, parameters, tags, idempotency keys, results and uploads of a user. The server may run; it stops erased
 * runs that are executing when it next renews its leases, within a third of `leaseSeconds`. Runs that other users have
 * requested, too, stay with their statement, parameters and result, under the name and the tags of another user; an
 * unfinished one is canceled if all others have withdrawn their requests. Keys, usage and the audit log stay. A second
 * call continues one that was interrupted.
 * @throws {AdministrationError} if there is no data directory
 */
export function eraseUser(erasing: UserToErase): Promise<Erased> {
  const { dataDir, tenant: tenantId = firstTenant.tenantId, user: userId } = erasing;
  const root = resolve(typeof dataDir === "string" ? dataDir : dataDir.dataDir);
  return changeDataDirectory(dataDir, async ({ runs, uploads, keys, settings, compact, audit, finish }) => {
    const erased = await eraseRecords(runs, { tenantId, userId });
    const uploaded = await uploads.ofUser({ tenantId, userId });
    for (const { id } of uploaded) await uploads.remove(id);
    const { store, results } = typeof dataDir === "string" ? { store: undefined, results: undefined } : dataDir;
    // With another store, the directory may belong to another service, or to none.
    if (store === undefined)
      for (const folder of ["results", join("work", "small-results"), "cache"])
        await removeFilesWithoutRun(join(root, folder), runs);
    if (store === undefined) for (const { id } of uploaded) await rm(join(root, "uploads", id), { force: true });
    if (results !== undefined) await sweepResults({ results }, settings, runs, uploads);
    await audit({ action: "user.erase", tenantId, userId, ...erased });
    // The store reuses the bytes of deleted records at some time; until then they are in its files.
    await finish("deleted records may still be in the files of the store", compact);
    const ofUser = (await keys.all()).filter((key) => key.tenantId === tenantId && key.userId === userId);
    return { ...erased, activeKeys: ofUser.filter(({ state }) => state === "active").length };
  });
}

async function eraseRecords(runs: RunStore, user: { tenantId: string; userId: string }): Promise<ErasedRecords> {
  const total = { runs: 0, executingRuns: 0, sharedRuns: 0, statements: 0 };
  for (;;) {
    const erased = await runs.erase(user, batchSize);
    total.runs += erased.runs;
    total.executingRuns += erased.executingRuns;
    total.sharedRuns += erased.sharedRuns;
    total.statements += erased.statements;
    if (erased.runs + erased.sharedRuns < batchSize) return total;
  }
}

/** Removes results and sorted copies of runs that do not exist. Their names begin with the id of the run. */
async function removeFilesWithoutRun(folder: string, runs: RunStore): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [runId = ""] = name.split(".", 1);
    if ((await runs.run(runId)) === undefined) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Removes the results of runs that do not exist, and the files of uploads that do not exist, from a bucket. */
async function sweepResults(
  storage: StorageOptions,
  settings: SettingStore,
  runs: RunStore,
  uploads: UploadStore,
): Promise<void> {
  const cache = await mkdtemp(join(tmpdir(), "quern-"));
  try {
    // Loaded on demand, since it loads the engine.
    const { openServiceResults } = await import("../adapters/results.ts");
    const directory = { results: cache, resultCache: () => cache };
    const results = await openServiceResults(storage, directory, false, settings);
    const swept = results.sweep((runId) => runs.run(runId));
    const sweptUploads = results.uploads?.sweep(async (id) => (await uploads.find(id)) !== undefined);
    await Promise.all([swept, sweptUploads]).finally(() => results.close());
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}
