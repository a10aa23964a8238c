import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSharedSources } from "@quern/duckdb";
import { standardErrorLog } from "../common/log.ts";
import { checkedIdentity } from "./result-identity.ts";
import { openResults } from "./results.ts";
import { openSources } from "./sources.ts";
import type { StorageOptions } from "./storage-options.ts";
import { openStore } from "./store.ts";

/** Result of a check of the store, of the results or of the data sources in a bucket. */
export interface StorageReport {
  readonly name: "store" | "results" | "sources";
  readonly isReachable: boolean;
  readonly meaning: string;
}

const timeoutMs = 10_000;

/**
 * Opens the store, the result store and the bucket of data sources that the settings name. Reports nothing for those in
 * the data directory.
 */
export async function examineStorage(options: StorageOptions): Promise<readonly StorageReport[]> {
  const { sources } = options;
  if (options.store === undefined && options.results === undefined && typeof sources !== "string") return [];
  const work = await mkdtemp(join(tmpdir(), "quern-"));
  const embedded = { path: ":memory:" };
  const log = standardErrorLog;
  const checkStore = async (): Promise<void> => {
    const store = await openStore(options, embedded, log);
    await store.now().finally(() => store.close());
  };
  const checkResults = async (): Promise<void> => {
    // The identity of a service with an embedded store is not known here.
    const store = options.store === undefined ? undefined : await openStore(options, embedded, log);
    try {
      const directory = { results: work, resultCache: () => work };
      const identity = store && (await checkedIdentity(store.settings));
      const results = await openResults(options, directory, false, identity);
      await results.check().finally(() => results.close());
    } finally {
      await store?.close();
    }
  };
  const checkSources = async (url: string): Promise<void> => {
    const files = await openSources(url, { directory: work, maxBytes: 0, isReadableForAll: false });
    const known = await openSharedSources({ files, onError: () => {} });
    await known.close();
  };
  try {
    return [
      ...(options.store === undefined ? [] : [await report("store", checkStore)]),
      ...(options.results === undefined ? [] : [await report("results", checkResults)]),
      ...(typeof sources === "string" ? [await report("sources", () => checkSources(sources))] : []),
    ];
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function report(name: StorageReport["name"], check: () => Promise<void>): Promise<StorageReport> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, timeoutMs, new Error(`it did not answer within ${timeoutMs / 1_000} seconds`));
  });
  try {
    await Promise.race([check(), late]);
    const meaning = name === "sources" ? "The bucket of the data sources can be read." : `The ${name} can be reached.`;
    return { name, isReachable: true, meaning };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, isReachable: false, meaning: `The ${name} cannot be used: ${reason}` };
  } finally {
    clearTimeout(timer);
  }
}
