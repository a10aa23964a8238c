import {
  createFairSemaphore,
  type OpenedResult,
  type ResultStore,
  type ResultWriter,
  startDeadline,
} from "@quern/adapter";
import { cellText } from "@quern/duckdb";
import type { Cells, RunRecord } from "@quern/query-run/record";
import { createResultStore, resultName } from "./result-store.ts";

export interface SmallResultOptions {
  /** Directory of the files of small results, which is empty when the server starts. */
  readonly directory: string;
  readonly writer: Pick<ResultWriter, "write">;
  /** Makes the files readable for the users of other processes. */
  readonly forOtherUsers: boolean;
}

/** Time in which the file of a small result must be written, with the wait for others, in milliseconds. */
const timeoutMs = 60_000;
/** Files that are written at the same time, in all and of a tenant. Each takes a process. */
const maxWriting = 2;
const maxWritingOfTenant = 1;

/**
 * Opens small results, whose values are in the records of their runs, and the others in a result store. A small result
 * has a file from its first filter, order or download until the server stops.
 */
export async function keepSmallResults(others: ResultStore, options: SmallResultOptions): Promise<ResultStore> {
  const { directory, writer, forOtherUsers } = options;
  const noFlush = async (): Promise<void> => {};
  const files = await createResultStore(directory, forOtherUsers, noFlush);
  const writing = new Map<string, Promise<void>>();
  const permits = createFairSemaphore(maxWriting, maxWritingOfTenant);
  const { sweepCache, downloadUrl } = others;

  async function writeFile(run: RunRecord, cells: Cells): Promise<void> {
    const columns = (run.result?.columns ?? []).map(({ name, engineType, storedType = engineType }) => ({
      name,
      engineType,
      storedType,
    }));
    const rows = (async function* () {
      for (const row of cells) yield row.map(cellText);
    })();
    const noCaps = { maxResultBytes: Number.MAX_SAFE_INTEGER, maxResultRows: Number.POSITIVE_INFINITY };
    const result = { form: "rows", columns, rows } as const;
    const deadline = startDeadline(timeoutMs);
    try {
      const release = await permits.acquire(run.tenantId, deadline.signal);
      try {
        const written = await writer.write(result, noCaps, deadline.signal, run.tenantId);
        await files.commit(run, written).finally(() => written.release());
      } finally {
        release();
      }
    } finally {
      deadline.end();
    }
  }

  async function openSmall(run: RunRecord, cells: Cells): Promise<OpenedResult | undefined> {
    const opened = await files.open(run);
    if (opened !== undefined) return opened;
    const name = resultName(run);
    const written = writing.get(name) ?? writeFile(run, cells).finally(() => writing.delete(name));
    writing.set(name, written);
    await written;
    return files.open(run);
  }

  return {
    open: (run, rows) => (run.result?.cells === undefined ? others.open(run, rows) : openSmall(run, run.result.cells)),
    commit: (run, written) => others.commit(run, written),
    async remove(run) {
      await files.remove(run);
      if (run.result?.cells === undefined) await others.remove(run);
    },
    async sweep(ownerOf) {
      await Promise.all([others.sweep(ownerOf), files.sweep(ownerOf)]);
    },
    async sweepCache(ownerOf) {
      await files.sweep(ownerOf);
      await sweepCache?.call(others, ownerOf);
    },
    check: () => others.check(),
    close: () => others.close(),
    ...(downloadUrl && {
      downloadUrl: async (run, link) =>
        run.result?.cells === undefined ? downloadUrl.call(others, run, link) : undefined,
    }),
  };
}
