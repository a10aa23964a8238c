import { getQueryRunResults } from "@quern/client";
import { alternately, bounded, median } from "../measure.ts";
import { finishedRun, startService } from "../service.ts";
import { LARGE_SQL } from "./large-result.ts";
import { writtenPages } from "./written-pages.ts";

const ROUNDS = 101;
const PAGE_ROWS = 1_000;
const FAR_PAGE = 10_000;

/** Compares the time to read a page with that of the bare engine, and page 10,000 of a result with its first page. */
export async function pages(): Promise<void> {
  await writtenPages();
  await farPage();
}

async function farPage(): Promise<void> {
  await using service = await startService();
  const queryRunId = await finishedRun(service.client, LARGE_SQL);
  const page = (number: number) =>
    getQueryRunResults(service.client, { queryRunId, page: { number, size: PAGE_ROWS } });
  await alternately(
    10,
    () => page(FAR_PAGE),
    () => page(1),
  );
  const { ours: far, theirs: first } = await alternately(
    ROUNDS,
    () => page(FAR_PAGE),
    () => page(1),
  );
  console.log(
    `a page of ${PAGE_ROWS} rows, medians of ${ROUNDS}: page ${FAR_PAGE} ${median(far).toFixed(1)} ms, page 1 ${median(first).toFixed(1)} ms`,
  );
  bounded({ what: "ratio", value: median(far) / median(first), atMost: 1.5 });
}
