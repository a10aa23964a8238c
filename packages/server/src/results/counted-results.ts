import type { ResultStore } from "@quern/adapter";

/** Calls of a result store whose failures are counted. */
export const resultStoreCalls = ["open", "commit", "remove"] as const;
export type ResultStoreCall = (typeof resultStoreCalls)[number];

/**
 * Counts the calls of a result store that fail, so that the metrics show failures that end before they are read.
 * @param failed called with each call that has failed
 */
export function countFailures(results: ResultStore, failed: (call: ResultStoreCall) => void): ResultStore {
  const { sweepCache, downloadUrl } = results;

  async function counted<T>(call: ResultStoreCall, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      failed(call);
      throw error;
    }
  }

  return {
    open: (run, rows) => counted("open", results.open(run, rows)),
    commit: (run, written) => counted("commit", results.commit(run, written)),
    remove: (run) => counted("remove", results.remove(run)),
    sweep: (ownerOf) => results.sweep(ownerOf),
    check: () => results.check(),
    close: () => results.close(),
    ...(sweepCache && { sweepCache: sweepCache.bind(results) }),
    ...(downloadUrl && { downloadUrl: downloadUrl.bind(results) }),
  };
}
