import type { RunRecord } from "@quern/query-run/record";
import type { ResultStoreContext } from "../../src/contract/result-store.ts";
import { UnavailableError } from "../../src/error.ts";

/** Deviation of an implementation from the contract. */
export type ResultsFault =
  | "attempts share a result"
  | "columns are lost"
  | "size is 0"
  | "rows are not counted"
  | "rejected file is stored"
  | "removal removes another run"
  | "second removal rejects"
  | "removal does nothing"
  | "removal keeps the files"
  | "removal of a later attempt does nothing"
  | "removed result is opened"
  | "unavailable is missing"
  | "check is always fine"
  | "check rejects with another error"
  | "check always rejects"
  | "removal takes files from readers"
  | "second release counts"
  | "files stay after the last release"
  | "sweep takes files from readers"
  | "sweep keeps archived runs"
  | "sweep keeps failed runs"
  | "sweep keeps unknown runs"
  | "sweep keeps earlier attempts"
  | "sweep keeps earlier attempts of executing runs"
  | "sweep keeps uncommitted files"
  | "sweep removes running runs"
  | "sweep removes streaming runs"
  | "sweep keeps ready runs"
  | "sweep removes current results";

interface StoredFile {
  readonly id: string;
  readonly attempt: number;
  readonly isCommitted: boolean;
  readonly numbers: readonly number[];
  readers: number;
  isRemoved: boolean;
}

/** Result store in memory, with at most one fault. */
export function memoryResults(fault?: ResultsFault): ResultStoreContext {
  const stored = new Map<string, StoredFile>();
  const written = new Map<string, readonly number[]>();
  let isAvailable = true;
  let writes = 0;

  const keyOf = ({ id, attempt }: Pick<RunRecord, "id" | "attempt">): string =>
    fault === "attempts share a result" ? id : `${id}.${attempt}`;

  function drop(key: string, file: StoredFile, takesFromReaders: boolean): void {
    file.isRemoved = true;
    if (fault === "removal keeps the files") return;
    if (file.readers === 0 || takesFromReaders) stored.delete(key);
  }

  function isKept(file: StoredFile, owner: RunRecord | undefined): boolean {
    if (!file.isCommitted) return fault === "sweep keeps uncommitted files";
    if (owner === undefined) return fault === "sweep keeps unknown runs";
    const { state } = owner;
    const isExecuting = state === "QUERY_STATE_RUNNING" || state === "QUERY_STATE_STREAMING_RESULTS";
    if (owner.attempt !== file.attempt)
      return (
        fault === (isExecuting ? "sweep keeps earlier attempts of executing runs" : "sweep keeps earlier attempts")
      );
    if (state === "QUERY_STATE_FAILED") return fault === "sweep keeps failed runs";
    if (state === "QUERY_STATE_READY") return fault === "sweep keeps ready runs";
    if (state === "QUERY_STATE_RUNNING") return fault !== "sweep removes running runs";
    if (state === "QUERY_STATE_STREAMING_RESULTS") return fault !== "sweep removes streaming runs";
    if (owner.archivedAt !== null) return fault === "sweep keeps archived runs";
    return fault !== "sweep removes current results";
  }

  return {
    store: {
      async open(run) {
        if (!isAvailable && fault !== "unavailable is missing") throw new UnavailableError("gone");
        const key = keyOf(run);
        const file = isAvailable ? stored.get(key) : undefined;
        if (file === undefined || (file.isRemoved && fault !== "removed result is opened")) return undefined;
        file.readers += 1;
        let isReleased = false;
        return {
          paths: [key],
          async release() {
            if (isReleased && fault !== "second release counts") return;
            isReleased = true;
            file.readers -= 1;
            if (file.readers === 0 && file.isRemoved && fault !== "files stay after the last release")
              stored.delete(key);
          },
        };
      },
      async commit({ id, attempt }, { path, columns, rowCount }) {
        const numbers = written.get(path) ?? [];
        const isWrong = numbers.length !== rowCount && fault !== "rows are not counted";
        if (!isWrong || fault === "rejected file is stored")
          stored.set(keyOf({ id, attempt }), { id, attempt, isCommitted: true, numbers, readers: 0, isRemoved: false });
        if (isWrong) throw new Error(`The file has ${numbers.length} rows, but ${rowCount} were written.`);
        const totalBytes = fault === "size is 0" ? 0 : 100;
        return { columns: fault === "columns are lost" ? [] : columns, rowCount, totalBytes };
      },
      async remove(run) {
        const key = fault === "removal removes another run" ? [...stored.keys()].at(-1) : keyOf(run);
        const file = stored.get(key ?? "");
        if (fault === "removal does nothing") return;
        if (fault === "removal of a later attempt does nothing" && run.attempt > 1) return;
        if (file === undefined && fault === "second removal rejects") throw new Error("no result");
        if (file !== undefined) drop(key ?? "", file, fault === "removal takes files from readers");
      },
      async sweep(ownerOf) {
        for (const [key, file] of [...stored])
          if (!isKept(file, await ownerOf(file.id))) drop(key, file, fault === "sweep takes files from readers");
      },
      async check() {
        if (fault === "check always rejects") throw new UnavailableError("gone");
        if (isAvailable || fault === "check is always fine") return;
        throw fault === "check rejects with another error" ? new Error("gone") : new UnavailableError("gone");
      },
      async close() {},
    },
    async write(numbers) {
      const path = `/written/${++writes}`;
      written.set(path, numbers);
      const columns = [{ name: "n", kind: "number", engineType: "INTEGER" }] as const;
      return { path, columns, rowCount: numbers.length, release: async () => {} };
    },
    async read([path = ""]) {
      const file = stored.get(path);
      if (file === undefined) throw new Error(`File not found: ${path}`);
      return file.numbers;
    },
    async addOrphan({ id, attempt }) {
      stored.set(`${id}.tmp`, { id, attempt, isCommitted: false, numbers: [], readers: 0, isRemoved: false });
    },
    storedRuns: async () => [...new Set([...stored.values()].map(({ id }) => id))].sort(),
    async makeUnavailable() {
      isAvailable = false;
    },
  };
}
