import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@quern/adapter";
import { createResultStore } from "../../src/results/result-store.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createUploadFiles } from "../../src/uploads/upload-files.ts";
import { temporaryDirectory } from "../fixture.ts";
import type { SharedStorage } from "./servers.ts";

/**
 * Stand-in for a shared database and a bucket: one SQLite store and one folder, which the servers of a test use in one
 * process.
 */
export async function createLocalStorage(): Promise<SharedStorage & AsyncDisposable & { readonly store: Store }> {
  const directory = await temporaryDirectory();
  const store: Store = { ...openSqliteStore(join(directory, "shared.db")), isShared: true };
  const uploads = await createUploadFiles(join(directory, "uploads"));
  const results = { ...(await createResultStore(join(directory, "results"))), uploads };
  return {
    store,
    // Closing a server ends its connection to a database, not the database.
    openStore: async () => ({ ...store, close: async () => {} }),
    openResults: async () => results,
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
