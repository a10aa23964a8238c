import { linkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { WrittenResult } from "@quern/adapter";
import type { PageTask, ResultReader } from "@quern/duckdb";
import { pageSelectorDefaults } from "@quern/protocol/defaults";
import type { RunRecord } from "@quern/query-run/record";
import type { Log } from "../common/log.ts";
import { resultName } from "../results/result-store.ts";

type Format = PageTask["format"];

/**
 * Reads small results in advance for users who fetch pages, while the results are stored and the ends of their runs are
 * made durable. The page of such a result is then in memory when it is requested.
 */
export interface FirstPages {
  /** Remembers the format of a page that a user requested. The next results of the user are read in this format. */
  requested(tenantId: string, userId: string, format: Format): void;
  /** Starts to read a result in advance if it is small and its user has fetched pages. Its file may then be moved. */
  written(run: Pick<RunRecord, "id" | "attempt" | "tenantId" | "userId">, result: WrittenResult): void;
}

export interface FirstPagesOptions {
  /** Directory for links to the files that are read, on their file system. */
  readonly directory: string;
  readonly reader: Pick<ResultReader, "readInAdvance">;
  readonly maxPageBytes: number;
  /** Adds the column `__row_index` to rows of the format csv. */
  readonly csvRowIndex: boolean;
  readonly log: Log;
}

/** Largest file of a result that is read in advance, in bytes. */
const maxFileBytes = 100_000;
/** Largest number of users whose format is remembered. The ones that fetched a page last are kept. */
const maxUsers = 1_000;

export function createFirstPages(options: FirstPagesOptions): FirstPages {
  const { directory, reader, maxPageBytes, csvRowIndex, log } = options;
  const formats = new Map<string, Format>();
  /** Some file systems have no hard links, and some kernels forbid links to files of other users. */
  let canLink = true;

  async function read(path: string, tenantId: string, task: PageTask): Promise<void> {
    try {
      await reader.readInAdvance(tenantId, task);
    } finally {
      rmSync(path, { force: true });
    }
  }

  return {
    requested(tenantId, userId, format) {
      const key = keyOf(tenantId, userId);
      formats.delete(key);
      formats.set(key, format); // the last one used is the last in the map
      for (const oldest of formats.keys()) {
        if (formats.size <= maxUsers) break;
        formats.delete(oldest);
      }
    },
    written(run, { path, columns, rowCount }) {
      const format = formats.get(keyOf(run.tenantId, run.userId));
      if (!canLink || format === undefined || rowCount > pageSelectorDefaults.size) return;
      const failed = (error: unknown): void =>
        log.error(`the result of run ${run.id} could not be read in advance`, error);
      const link = join(directory, `${resultName(run)}.first.parquet`);
      const task: PageTask = {
        result: resultName(run),
        paths: [link],
        columns,
        rowCount,
        page: pageSelectorDefaults,
        format,
        rowIndex: format === "csv" && csvRowIndex,
        conditions: [],
        sortKeys: [],
        maxBytes: maxPageBytes,
      };
      try {
        if (statSync(path).size > maxFileBytes) return;
      } catch (error) {
        return failed(error);
      }
      try {
        linkSync(path, link); // the result store moves the file
      } catch (error) {
        canLink = false;
        log.error("results cannot be read in advance, because files cannot be linked", error);
        return;
      }
      read(link, run.tenantId, task).catch(failed);
    },
  };
}

function keyOf(tenantId: string, userId: string): string {
  return JSON.stringify([tenantId, userId]);
}
