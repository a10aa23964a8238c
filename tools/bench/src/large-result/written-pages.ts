import { join } from "node:path";
import { alternately, bounded, median } from "../measure.ts";
import { createPost } from "../post.ts";
import { MILLION_ROWS_SQL } from "../rows/rows.ts";
import { finishedRun, startService } from "../service.ts";
import { barePages } from "./bare-page.ts";

const ROUNDS = 41;
/** Page that both read, far from the start of the result. */
const PAGE_NUMBER = 30;

const COLUMNS = Object.entries({
  id: "BIGINT",
  flag: "BOOLEAN",
  price: "DECIMAL(21,2)",
  item: "VARCHAR",
  qty: "BIGINT",
  sold_at: "TIMESTAMP",
  link: "VARCHAR",
  shop: "BIGINT",
  score: "DOUBLE",
  note: "VARCHAR",
}).map(([name, engineType]) => ({ name, engineType, kind: "unknown" }) as const);

/** Reads pages of ten columns from the service, beside an engine in this process that writes the same text. */
export async function writtenPages(): Promise<void> {
  await using service = await startService();
  const queryRunId = await finishedRun(service.client, MILLION_ROWS_SQL);
  using server = createPost(service.url, service.apiKey);
  const bare = await barePages(join(service.dataDir, "results", `${queryRunId}.1.parquet`), COLUMNS);
  const offset = (size: number): number => (PAGE_NUMBER - 1) * size;
  for (const [size, factor, extraMs] of [
    [1_000, 1, 8],
    [10_000, 1.5, 5],
  ] as const) {
    const ours = () => server.post("getQueryRunResults", { queryRunId, page: { number: PAGE_NUMBER, size } });
    const theirs = () => bare(offset(size), size);
    const rows = `"rows":[${Buffer.from(await theirs()).toString()}]`;
    if (!(await ours()).includes(rows)) throw new Error("the service wrote another text than the engine");
    await alternately(5, ours, theirs);
    const times = await alternately(ROUNDS, ours, theirs);
    const [serviceMs, engineMs] = [median(times.ours), median(times.theirs)];
    console.log(
      `a page of ${size} rows x 10, medians of ${ROUNDS}: service ${serviceMs.toFixed(1)} ms, bare engine ${engineMs.toFixed(1)} ms`,
    );
    const what = `${size} rows, at most ${factor} x the bare engine + ${extraMs} ms`;
    bounded({ what, value: serviceMs, atMost: Number((factor * engineMs + extraMs).toFixed(2)), unit: " ms" });
  }
}
