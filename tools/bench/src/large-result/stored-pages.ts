import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultFormat } from "../../../../packages/duckdb/src/results/result-files.ts";
import { createRun, type RunRecord } from "../../../../packages/query-run/src/record.ts";
import { createResultStore, type S3ResultStore } from "../../../../packages/s3/src/result-store.ts";
import { readLocalResult } from "../../../../packages/s3/src/results/upload.ts";
import { startStorage } from "../../../../packages/s3/test/storage.ts";
import { hasVersitygw } from "../../../../packages/s3/test/versitygw.ts";
import { alternately, bounded, median } from "../measure.ts";
import { barePages } from "./bare-page.ts";
import { bareCopy } from "./copy.ts";

const ROWS = 28_000_000;
const COLUMNS = 10;
const ROUNDS = 7;
const PAGE_ROWS = 1_000;
const CACHE_BYTES = 256_000_000;
/** Half the size of the result, for a process that has written it as well. */
const MEMORY_MEGABYTES = 1_000;
const sql = `SELECT range AS c0, ${Array.from({ length: COLUMNS - 1 }, (_, n) => `hash(range + ${n * ROWS}) AS c${n + 1}`)}
  FROM range(${ROWS})`;
const columns = Array.from({ length: COLUMNS }, (_, index) => {
  return { name: `column_${index}`, kind: "number", engineType: index === 0 ? "BIGINT" : "UBIGINT" } as const;
});

/** Store with an empty cache. */
interface OpenedStore {
  readonly store: S3ResultStore;
  readonly cacheDirectory: string;
}

/**
 * Reads the first and the last page of a result of 2 GB in object storage with an empty cache, beside a request for the
 * bytes of their row groups and the same page of a local file. Then reads pages all over the result.
 */
export async function storedPages(): Promise<void> {
  if (!hasVersitygw()) return console.log("not run: the machine lacks go, which builds versitygw");
  const folder = await mkdtemp(join(tmpdir(), "quern-bench-"));
  await using storage = await startStorage();
  const url = await storage.createBucket("bench");
  const stores: OpenedStore[] = [];
  const newStore = async (): Promise<OpenedStore> => {
    const cacheDirectory = await mkdtemp(join(folder, "cache-"));
    const rowCountOf = async (): Promise<number> => ROWS;
    const options = { url, cacheDirectory, maxCacheBytes: CACHE_BYTES, isReadableForAll: false, rowCountOf };
    const opened = { store: await createResultStore(options), cacheDirectory };
    stores.push(opened);
    return opened;
  };
  try {
    const local = join(folder, "local.parquet");
    await bareCopy(sql, local, resultFormat([]));
    const copy = join(folder, "copy.parquet");
    await bareCopy(`FROM '${local}'`, copy, resultFormat([]));
    const run = runOf();
    await (await newStore()).store.commit(run, { path: copy, columns, rowCount: ROWS, release: async () => {} });
    const { size } = await stat(local);
    console.log(`${ROWS} rows, ${(size / 1e9).toFixed(2)} GB`);
    const { footer } = await readLocalResult(local);
    for (const [name, first] of [
      ["first", 0],
      ["last", ROWS - PAGE_ROWS],
    ] as const) {
      const groups = (footer?.rowGroups ?? []).filter(
        (group) => group.firstRow < first + PAGE_ROWS && group.firstRow + group.rowCount > first,
      );
      const range = { start: groups[0]?.start ?? 0, end: groups.at(-1)?.end ?? 0 };
      const link =
        (await stores[0]?.store.downloadUrl(run, { format: "parquet", fileName: "a", expiresInSeconds: 600 })) ?? "";
      const empty = await Promise.all(Array.from({ length: ROUNDS }, newStore));
      const { ours, theirs } = await alternately(
        ROUNDS,
        async () => {
          const opened = await empty.pop()?.store.open(run, { first, count: 2 * PAGE_ROWS });
          await (await barePages(opened?.paths[0] ?? "", columns))(first, PAGE_ROWS);
          await opened?.release();
        },
        async () => {
          const answer = await fetch(link, { headers: { range: `bytes=${range.start}-${range.end - 1}` } });
          const file = await open(join(folder, "bytes"), "w");
          await file.write(new Uint8Array(await answer.arrayBuffer()));
          await file.close();
          await (await barePages(local, columns))(first, PAGE_ROWS);
        },
      );
      console.log(
        `${name} page, medians of ${ROUNDS}: ${median(ours).toFixed(0)} ms, its row groups ${median(theirs).toFixed(0)} ms`,
      );
      bounded({ what: `${name} page`, value: median(ours) / median(theirs), unit: " times", atMost: 2 });
    }
    await pagesAllOver(run, await newStore());
  } finally {
    for (const { store } of stores) await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function pagesAllOver(run: RunRecord, { store, cacheDirectory }: OpenedStore): Promise<void> {
  let most = 0;
  for (let page = 0; page < 300; page += 1) {
    const first = Math.floor((page * (ROWS - PAGE_ROWS)) / 299);
    const opened = await store.open(run, { first, count: PAGE_ROWS });
    const stats = await Promise.all((await readdir(cacheDirectory)).map((name) => stat(join(cacheDirectory, name))));
    most = Math.max(
      most,
      stats.reduce((sum, { blocks }) => sum + blocks * 512, 0),
    );
    await opened?.release();
  }
  bounded({ what: "cache after 300 pages", value: most / 1e6, unit: " MB", atMost: CACHE_BYTES / 1e6 });
  const { rss } = process.memoryUsage();
  bounded({ what: "memory of this process with the engine", value: rss / 1e6, unit: " MB", atMost: MEMORY_MEGABYTES });
}

function runOf(): RunRecord {
  const ids = {
    id: "run_bench",
    tenantId: "tenant",
    userId: "user",
    sqlStatementId: "statement",
    dataSourceId: "source",
  };
  const settings = { reuseKey: "", parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  return { ...createRun({ ...ids, ...settings }, 0), attempt: 1 };
}
