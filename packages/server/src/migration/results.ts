import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isUnavailableError, type RecordTables, type ResultStore } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { isDiskFull } from "../common/disk-full.ts";
import { createDigest } from "./digest.ts";
import type { Comparison, Difference, Progress } from "./report.ts";

/** Results that are copied or compared at the same time. */
const parallel = 4;
/** Most differences that are reported. */
const maxDifferences = 10;

export interface ResultMigration {
  /** Store whose runs own the results. */
  readonly records: RecordTables;
  readonly source: ResultStore;
  /** Target; the results that it has written can be in its local copies. */
  readonly target: ResultStore;
  /** Target without local copies of what was written, so that a comparison reads what is stored. */
  readonly stored: ResultStore;
  /** Directory for files, on the disk of a target that is a directory. */
  readonly work: string;
  /** True compares the results, and copies none. */
  readonly isCheck: boolean;
  readonly progress: Progress;
}

export interface MigratedResults extends Comparison {
  readonly differences: readonly Difference[];
  readonly missingResults: number;
}

/** Copies the results that are not kept in the records of their runs, unless the target has them, and compares each by a hash of its file. */
export async function migrateResults(migration: ResultMigration): Promise<MigratedResults> {
  const { records, progress } = migration;
  const [source, target] = [createDigest(), createDigest()];
  const differing: { readonly at: number; readonly difference: Difference }[] = [];
  let missingResults = 0;

  /** @param at number of the run, since results are compared in any order and reported in that of their runs */
  async function compare(run: RunRecord, at: number): Promise<void> {
    const { id, attempt } = run;
    const { expected, found } = await migrateResult(migration, run);
    if (expected === undefined) missingResults += 1;
    else source.add({ id, text: `${id}.${attempt} ${expected}` });
    if (found !== undefined) target.add({ id, text: `${id}.${attempt} ${found}` });
    if (expected === found || differing.length === maxDifferences) return;
    const fault = found === undefined ? "missing" : expected === undefined ? "extra" : "changed";
    differing.push({ at, difference: { kind: "results", id, fault } });
  }

  let [begun, count] = [0, 0];
  for await (const batch of records.runs.read()) {
    const runs = batch.flatMap(({ run }) =>
      run.result !== null && run.result.cells === undefined && run.archivedAt === null ? run : [],
    );
    // The workers take the runs of a batch from one iterator.
    const left = runs.values();
    let hasFailed = false;
    const work = async (): Promise<void> => {
      for (const run of left) {
        if (hasFailed) return;
        await compare(run, begun++);
        progress("results", ++count);
      }
    };
    const working = Array.from({ length: parallel }, () =>
      work().catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    );
    // The caller closes the stores after a failure, so all workers must have ended.
    await Promise.allSettled(working);
    await Promise.all(working);
  }
  const differences = differing.toSorted((one, other) => one.at - other.at).map(({ difference }) => difference);
  const isEqual = differences.length === 0;
  const numbers = { source: source.count, target: target.count, hash: target.hash() };
  return { kind: "results", ...numbers, isEqual, differences, missingResults };
}

/** Hashes of the files of a result in the source and in the target; undefined for one that does not exist. */
interface ResultHashes {
  readonly expected: string | undefined;
  readonly found: string | undefined;
}

async function migrateResult(
  { source, target, stored, work, isCheck }: ResultMigration,
  run: RunRecord,
): Promise<ResultHashes> {
  const opened = await source.open(run);
  try {
    const expected = opened && (await hashOf(opened.paths));
    const found = await hashIn(stored, run);
    if (isCheck || opened === undefined || found !== undefined || run.result === null) return { expected, found };
    const [file, ...others] = opened.paths;
    if (file === undefined || others.length > 0)
      throw new Error(`Invalid result of ${run.id}: one file is expected, got ${opened.paths.length}.`);
    const path = join(work, `migrated-${randomUUID()}.parquet`);
    try {
      // A copy, since the target takes over the file. File systems that can share the blocks of a copy do.
      await copyFile(file, path, constants.COPYFILE_FICLONE);
      const { columns, rowCount } = run.result;
      await target.commit(run, { path, columns, rowCount, release: async () => {} });
    } finally {
      await rm(path, { force: true });
    }
    return { expected, found: await hashIn(stored, run) };
  } finally {
    await opened?.release();
  }
}

/** Returns the hash of a result; undefined if it does not exist. A damaged one has the hash `damaged`. */
async function hashIn(results: ResultStore, run: RunRecord): Promise<string | undefined> {
  try {
    const opened = await results.open(run);
    try {
      return opened && (await hashOf(opened.paths));
    } finally {
      await opened?.release();
    }
  } catch (error) {
    if (isUnavailableError(error) || isDiskFull(error)) throw error;
    return "damaged";
  }
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths)
    await pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), async (chunks) => {
      for await (const chunk of chunks) hash.update(chunk as Buffer);
    });
  return hash.digest("hex");
}
