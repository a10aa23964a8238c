import type { Storage } from "../storage/storage.ts";
import { type DescribedResult, describeResult, type StoredResult } from "./stored-result.ts";

/** Remembers the descriptions of results, so that each page need not read the footer again. */
export interface KnownResults {
  /**
   * Returns the description of a result; undefined if it does not exist. It has values only for the callers that wait
   * for the same request.
   */
  of(key: string): Promise<DescribedResult | undefined>;
  forget(key: string): void;
}

/** Largest size of all footers in memory, in bytes. */
const maxBytes = 64_000_000;

export function createKnownResults(storage: Storage): KnownResults {
  /** Descriptions by key; the one that was used last is the last. */
  const known = new Map<string, StoredResult>();
  const requests = new Map<string, Promise<DescribedResult | undefined>>();
  let used = 0;

  function forget(key: string): void {
    used -= known.get(key)?.localEnd.length ?? 0;
    known.delete(key);
  }

  async function describe(key: string): Promise<DescribedResult | undefined> {
    const described = await describeResult(storage, key);
    if (described === undefined) return undefined;
    const { values: _, ...rest } = described;
    // A copy, because the footer is otherwise a part of the bytes of the whole answer, which would stay in memory.
    const remembered = { ...rest, localEnd: Buffer.from(rest.localEnd) };
    known.set(key, remembered);
    used += remembered.localEnd.length;
    for (const oldest of known.keys()) {
      if (used <= maxBytes) break;
      forget(oldest);
    }
    return described;
  }

  return {
    async of(key) {
      const found = known.get(key);
      if (found !== undefined) {
        known.delete(key);
        known.set(key, found);
        return { ...found, values: undefined };
      }
      const waiting = requests.get(key);
      if (waiting !== undefined) return waiting;
      const request = describe(key).finally(() => requests.delete(key));
      requests.set(key, request);
      return request;
    },
    forget,
  };
}
