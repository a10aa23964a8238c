import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { getQueryRunResults, query } from "@quern/client";
import { addToSource } from "@quern/duckdb/loading";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";
import { downloadedBytes } from "../large-result/arrow.ts";
import { bounded, elapsed, median, perSecond, repeatedly } from "../measure.ts";
import { tenColumnsSql } from "../rows/rows.ts";
import { finishedRun, type Service, startService } from "../service.ts";
import { type Peer, startMosaic, startQuack } from "./servers.ts";

const ROWS = 1_000_000;
const PAGE_ROWS = 1_000;
const ROUNDS = 2;
const CALLERS = 16;
const WINDOW_MS = 4_000;
/** Repetitions of a small query and of a page, and of the whole table, in each round. */
const SMALL = 40;
const WHOLE = 4;
const PACKAGES = [
  "duckdb==1.5.5",
  "duckdb-extension-quack==1.5.5",
  "duckdb-extension-httpfs==1.5.5",
  "duckdb-server==0.34.2",
  "pyarrow==26.0.1",
];

/** Server with the table, and what is measured of it. */
interface Variant {
  readonly name: string;
  small(k: number): Promise<unknown>;
  /** Fetches the whole table as Arrow. Returns the time of the last part, the download, in milliseconds. */
  whole(): Promise<number>;
  page(number: number): Promise<unknown>;
}

/** Figures of a variant: milliseconds, and calls a second as `rate`. */
type Figures = Readonly<Record<"small" | "rate" | "whole" | "download" | "page", number[]>>;

/**
 * Measures the service beside DuckDB's Quack and the server of Mosaic, which hold the same table of a million rows of ten
 * columns: small queries of one caller and of 16, the whole table as Arrow, and pages of a large result, which the service
 * keeps and the peers sort again.
 */
export async function peers(): Promise<void> {
  const environment = await createPythonEnvironment(...PACKAGES);
  if ("lacks" in environment) return void console.log(`not measured: the machine lacks ${environment.lacks}`);
  await using service = await startService();
  const file = join(service.folder, "t.parquet");
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT id AS k, id % 1000 AS v, * EXCLUDE (id, qty) FROM (${tenColumnsSql(ROWS)})) TO '${file}'`,
  );
  connection.closeSync();
  instance.closeSync();
  await addToSource({ dataDir: service.dataDir, source: "bench" }, { from: file });
  await using quack = await startQuack(environment.python, file);
  await using mosaic = await startMosaic(environment.python, file);
  const variants = [await ours(service), theirs(quack), theirs(mosaic)];
  const figures = variants.map((): Figures => ({ small: [], rate: [], whole: [], download: [], page: [] }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, variant] of variants.entries()) await measure(variant, figures[index] as Figures); // same length
  report(variants, figures);
}

async function ours(service: Service): Promise<Variant> {
  const { client } = service;
  const dataSource = "bench";
  const kept = await finishedRun(client, "SELECT * FROM t ORDER BY k", { dataSource });
  return {
    name: "Quern",
    small: (k) => query(client, { sql: smallSql(k), dataSource }),
    async whole() {
      const run = await finishedRun(client, "FROM t", { dataSource });
      return elapsed(() => downloadedBytes(service, run));
    },
    page: (number) => getQueryRunResults(client, { queryRunId: kept, page: { number, size: PAGE_ROWS } }),
  };
}

function theirs({ name, query }: Peer): Variant {
  return {
    name,
    small: (k) => query(smallSql(k)),
    whole: () => elapsed(() => query("FROM t")),
    page: (number) => query(`SELECT * FROM t ORDER BY k LIMIT ${PAGE_ROWS} OFFSET ${(number - 1) * PAGE_ROWS}`),
  };
}

const smallSql = (k: number): string => `SELECT count(*), sum(v) FROM t WHERE k = ${k}`;

async function measure({ small, whole, page }: Variant, figures: Figures): Promise<void> {
  const random = (below: number): number => Math.floor(Math.random() * below);
  for (let count = 0; count < 5; count += 1) await small(random(ROWS));
  for (let count = 0; count < SMALL; count += 1) figures.small.push(await elapsed(() => small(random(ROWS))));
  const callers = Array.from({ length: CALLERS }, () => () => small(random(ROWS)));
  figures.rate.push(perSecond(await repeatedly(callers, WINDOW_MS)));
  for (let count = 0; count < WHOLE; count += 1)
    figures.whole.push(await elapsed(async () => figures.download.push(await whole())));
  for (let count = 0; count < SMALL; count += 1)
    figures.page.push(await elapsed(() => page(1 + random(ROWS / PAGE_ROWS))));
}

function report(variants: readonly Variant[], figures: readonly Figures[]): void {
  const [quern, quack] = figures.map((each) => ({
    small: median(each.small),
    rate: median(each.rate),
    whole: median(each.whole),
    download: median(each.download),
    page: median(each.page),
  }));
  for (const [index, { name }] of variants.entries()) {
    const { small, rate, whole, download, page } = figures[index] as Figures; // same length
    console.log(
      `${name.padEnd(7)} small query ${median(small).toFixed(1)} ms, ${CALLERS} callers ${median(rate).toFixed(0)} a second, ` +
        `whole table as Arrow ${median(whole).toFixed(0)} ms, its download ${median(download).toFixed(0)} ms, page ${median(page).toFixed(1)} ms`,
    );
  }
  if (quern === undefined || quack === undefined) return;
  bounded({ what: "small query, x Quack", value: quern.small / quack.small, atMost: 2 });
  bounded({ what: `queries a second of ${CALLERS} callers, x Quack`, value: quern.rate / quack.rate, atLeast: 0.8 });
  bounded({ what: "run and Arrow, x Quack", value: quern.whole / quack.whole, atMost: 3 });
  bounded({ what: "download as Arrow, x the query of Quack", value: quern.download / quack.whole, atMost: 1.3 });
  bounded({ what: `page of ${PAGE_ROWS} rows of a kept result, x Quack`, value: quern.page / quack.page, atMost: 0.2 });
}
