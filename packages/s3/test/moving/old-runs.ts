import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { createRequest, type RunRecord } from "@quern/query-run/record";
import { createResultStore } from "../../../server/src/results/result-store.ts";
import { openSqliteStore } from "../../../server/src/sqlite/store.ts";

/**
 * Adds copies of a run with its result to a stopped data directory, so that a migration takes long enough to be killed
 * in the middle. Each has a request; some have a result.
 */
export async function addCopies(dataDir: string, runId: string, runs: number, results: number): Promise<void> {
  const store = openSqliteStore(join(dataDir, "quern.db"));
  const files = await createResultStore(join(dataDir, "results"));
  try {
    const run = await store.runs.run(runId);
    if (run === undefined) throw new Error(`unknown run: ${runId}`);
    const opened = await files.open(run);
    const [path = ""] = opened?.paths ?? [];
    const copies = Array.from({ length: runs }, (_, number): RunRecord => {
      const id = `${runId}_${number}`;
      return { ...run, id, reuseKey: id, ...(number >= results && { archivedAt: run.endedAt }) };
    });
    for (const copy of copies.slice(0, results))
      await copyFile(path, join(dataDir, "results", `${copy.id}.${copy.attempt}.parquet`));
    await store.records.runs.write(copies.map((copy) => ({ run: copy, maxRunningRuns: null, isShareable: true })));
    const { userId, tags, resultTTLHours, createdAt } = run;
    await store.records.requests.write(
      copies.map((copy) => {
        const members = {
          id: `req_of_${copy.id}`,
          userId,
          tags,
          maxAgeMinutes: 0,
          resultTTLHours,
          idempotencyKey: null,
        };
        return { request: createRequest(members, copy, true, createdAt), apiKeyId: null, withdrawnAt: null };
      }),
    );
    await opened?.release();
  } finally {
    await store.close();
  }
}
