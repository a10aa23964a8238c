import { readFileSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedResult, ResultStore } from "@quern/adapter";
import type { RunRecord, RunResult } from "@quern/query-run/record";
import { createResultStore, resultName } from "./result-store.ts";

export interface SmallResultOptions {
  /** Directory of copies of small results, for the engine. A missing copy is made from the record of the run. */
  readonly directory: string;
  /** Largest file that is kept in the record of its run, in bytes. 0 keeps none there. */
  readonly maxBytes: number;
  /** Makes the copies readable for the users of other processes. */
  readonly forOtherUsers: boolean;
}

/**
 * Keeps small results in the records of their runs, and the others in a result store. A record is made durable with the
 * end of its run, so a small result needs no flush of its own, and no object in a bucket. It is erased, moved and backed
 * up with its record.
 */
export async function keepSmallResults(others: ResultStore, options: SmallResultOptions): Promise<ResultStore> {
  const { directory, maxBytes, forOtherUsers } = options;
  const noFlush = async (): Promise<void> => {};
  const copies = await createResultStore(directory, forOtherUsers, noFlush);
  const { sweepCache, downloadUrl } = others;

  /** Opens the copy. It is never flushed and can be incomplete after a power failure, so its bytes are compared. */
  async function openCopy(run: RunRecord, result: RunResult, bytes: Buffer): Promise<OpenedResult | undefined> {
    const opened = await copies.open(run);
    const [path] = opened?.paths ?? [];
    if (path !== undefined && readFileSync(path).equals(bytes)) return opened;
    await opened?.release();
    const copy = join(directory, `${resultName(run)}.new`);
    try {
      await writeFile(copy, bytes);
      await copies.commit(run, { ...result, path: copy, release: async () => {} });
    } finally {
      await rm(copy, { force: true });
    }
    return copies.open(run);
  }

  return {
    async open(run, rows) {
      const { result } = run;
      if (result?.file === undefined) return others.open(run, rows);
      return openCopy(run, result, Buffer.from(result.file, "base64"));
    },
    async commit(run, written) {
      if (statSync(written.path).size > maxBytes) return others.commit(run, written);
      const bytes = readFileSync(written.path);
      return { ...(await copies.commit(run, written)), file: bytes.toString("base64") };
    },
    async remove(run) {
      await copies.remove(run);
      if (run.result?.file === undefined) await others.remove(run);
    },
    async sweep(ownerOf) {
      await copies.sweep(ownerOf);
      await others.sweep(ownerOf);
    },
    async sweepCache(ownerOf) {
      await copies.sweep(ownerOf);
      await sweepCache?.call(others, ownerOf);
    },
    check: () => others.check(),
    close: () => others.close(),
    ...(downloadUrl && {
      downloadUrl: async (run, link) =>
        run.result?.file === undefined ? downloadUrl.call(others, run, link) : undefined,
    }),
  };
}
