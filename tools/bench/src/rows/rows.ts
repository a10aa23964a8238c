import { execFile, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getQueryRun, getQueryRunResults } from "@quern/client";
import { build } from "esbuild";
import { bounded, median } from "../measure.ts";
import { finishedRun, readyUrl, type Service, startService } from "../service.ts";
import type { Reading } from "./reader.ts";

const ROUNDS = 3;
const ROWS = 1_000_000;
const PAGE_ROWS = 10_000;
/** Returns a statement with ten columns of all common types. */
export const tenColumnsSql = (rows: number): string => `
  SELECT range AS id, range % 7 = 0 AS flag, range * 0.25 AS price, 'item ' || range % 1000 AS item, range % 100 AS qty,
    TIMESTAMP '2026-01-01' + INTERVAL (range) SECOND AS sold_at, 'https://example.org/' || range AS link,
    range % 13 AS shop, round(sin(range), 6) AS score, CASE WHEN range % 5 = 0 THEN NULL ELSE 'note' END AS note
  FROM range(${rows}) ORDER BY id`;
export const MILLION_ROWS_SQL = tenColumnsSql(ROWS);
const REPLAY = fileURLToPath(new URL("./replay-server.ts", import.meta.url));
/** Libraries that each reader of `reader.ts` imports. */
const LIBRARIES = {
  quern: ["@quern/client"],
  pages: ["@quern/client"],
  arrow: ["@quern/client", "@quern/client/arrow"],
  flipside: ["@flipsidecrypto/sdk"],
  plain: [],
  bare: [],
  memory: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface Variant {
  readonly what: string;
  readonly reader: keyof typeof LIBRARIES;
  readonly url: string;
}

/**
 * Reads a million rows of ten columns: `rowsOf()` beside a loop over the pages with the old SDK, two readers on
 * `node:http`, and `JSON.parse` of pages in memory. Then the SDK reads them from the service, as do `rowsOf()` by its
 * download and by pages, and `arrowOf()`.
 */
export async function rows(): Promise<void> {
  await using service = await startService();
  const queryRunId = await finishedRun(service.client, MILLION_ROWS_SQL);
  const folder = join(service.folder, "pages");
  await record(service, queryRunId, folder);
  const readers = await bundledReaders(service.folder);
  const replay = spawn(process.execPath, [REPLAY, folder], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await readyUrl(replay);
    const ours: Variant = { what: "rowsOf()", reader: "quern", url };
    const sdk: Variant = { what: "@flipsidecrypto/sdk, a loop over the pages", reader: "flipside", url };
    const bare: Variant = { what: "node:http and JSON.parse, no objects", reader: "bare", url };
    const plain: Variant = { what: "node:http, JSON.parse, a loop that makes rows", reader: "plain", url };
    const memory: Variant = { what: "JSON.parse of the pages in memory", reader: "memory", url };
    const onService = (one: Variant): Variant => ({
      ...one,
      what: `${one.what}, on the service`,
      url: service.url,
    });
    const [download, sdkPages] = [onService(ours), onService(sdk)];
    const pages: Variant = { what: "rowsOf() by pages, on the service", reader: "pages", url: service.url };
    const arrow: Variant = { what: "arrowOf(), on the service", reader: "arrow", url: service.url };
    const variants = [ours, sdk, plain, bare, memory, download, pages, arrow, sdkPages];
    const readings = new Map(variants.map((variant) => [variant, [] as Reading[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [variant, list] of readings) list.push(await read(readers, variant, service.apiKey, queryRunId));
    }
    const rate = (variant: Variant) => ROWS / median((readings.get(variant) ?? []).map(({ seconds }) => seconds));
    const peak = (variant: Variant) => Math.max(...(readings.get(variant) ?? []).map(({ megabytes }) => megabytes));
    for (const variant of variants) {
      const figures = [rate(variant), peak(variant)].map((figure) => figure.toFixed(0).padStart(8));
      console.log(`${variant.what.padEnd(58)} ${figures[0]} rows a second ${figures[1]} MB`);
    }
    const [least, most] = [rate(ours) / rate(bare), rate(bare) / rate(sdk)].map((ratio) => ratio.toFixed(2));
    console.log(
      `rowsOf() reads ${least} x the rows a second of node:http without objects, which reads ${most} x those of the SDK`,
    );
    bounded({ what: "x the SDK's rows a second", value: rate(ours) / rate(sdk), atLeast: 5 });
    const parsed = { what: "rowsOf() on the service, x JSON.parse of the pages in memory", atLeast: 0.5 };
    bounded({ ...parsed, value: rate(download) / rate(memory) });
    bounded({ what: "rowsOf() by its download, x by pages", value: rate(download) / rate(pages), atLeast: 1.5 });
    bounded({ what: "arrowOf(), x rowsOf() by pages", value: rate(arrow) / rate(pages), atLeast: 2 });
    const memoryBound = { what: "resident memory of rowsOf()", atMost: 150, unit: " MB" };
    bounded({ ...memoryBound, value: Math.max(...[ours, download, pages].map(peak)) });
  } finally {
    replay.kill();
  }
}

/** Records the answers of the service, so that all readers get the same pages and none waits for the engine. */
async function record({ client }: Service, queryRunId: string, folder: string): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, "run"), JSON.stringify(await getQueryRun(client, { queryRunId })));
  for (let number = 1; number <= ROWS / PAGE_ROWS; number += 1) {
    const page = await getQueryRunResults(client, { queryRunId, page: { number, size: PAGE_ROWS } });
    writeFileSync(join(folder, `page-${number}`), JSON.stringify(page));
  }
}

/** Compiles the readers, because Node's parser of TypeScript would be in the measured memory. Returns their folder. */
async function bundledReaders(folder: string): Promise<string> {
  const outdir = join(folder, "readers");
  for (const [reader, libraries] of Object.entries<readonly string[]>(LIBRARIES)) {
    await build({
      entryPoints: [fileURLToPath(new URL("./reader.ts", import.meta.url))],
      outfile: join(outdir, `${reader}.mjs`),
      // Not bundled, because the code of the libraries of the other readers would be in the measured memory.
      external: Object.values(LIBRARIES)
        .flat()
        .filter((other) => !libraries.includes(other)),
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "error",
    });
  }
  return outdir;
}

async function read(folder: string, { reader, url }: Variant, apiKey: string, queryRunId: string): Promise<Reading> {
  const args = [join(folder, `${reader}.mjs`), reader, url, apiKey, queryRunId, String(PAGE_ROWS)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const reading: Reading = JSON.parse(stdout);
  if (reading.rows !== ROWS) throw new Error(`${reader} read ${reading.rows} of ${ROWS} rows`);
  return reading;
}
