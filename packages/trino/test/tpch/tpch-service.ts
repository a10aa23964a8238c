import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@quern/client";
import { firstLine, quern, spawnQuern } from "../../../cli/test/quern.ts";
import { sharedTrino } from "../engine/trino.ts";

const apiKey = "qk_tpch_test_0123456789";

/** Tables of the schema `tiny`, with the number of rows that TPC-H defines for its scale factor of 0.01. */
export const rowCounts = {
  region: 5,
  nation: 25,
  supplier: 100,
  customer: 1500,
  part: 2000,
  partsupp: 8000,
  orders: 15_000,
  lineitem: 60_175,
};

/** Service with the source `lake` on Trino, and the source `copy` of the same tables on DuckDB. */
export interface TpchService extends AsyncDisposable {
  readonly client: Client;
}

/** Starts Trino and a service, downloads each table from Trino as Parquet, and loads it, all by the command line. */
export async function startTpchService(): Promise<TpchService> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "quern-tpch-"));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const dataDir = ["--data-dir", join(directory, "data")];
  const trino = started.use(await sharedTrino());
  await succeed(["sources", "add", "lake", `trino://reader@${trino.http}/tpch_decimal/tiny`, ...dataDir]);
  const service = spawnQuern(["serve", "--port", "0", "--json", ...dataDir], { QUERN_API_KEY: apiKey });
  started.defer(async () => {
    service.signal("SIGTERM");
    await service.ended;
  });
  const url: string = JSON.parse(await firstLine(service)).url;
  service.stdout.resume();
  const env = { QUERN_URL: url, QUERN_API_KEY: apiKey };
  for (const table of Object.keys(rowCounts)) {
    const file = join(directory, `${table}.parquet`);
    await succeed(["query", `SELECT * FROM ${table}`, "--data-source", "lake", "--output", file], env);
    await succeed(["sources", "add", "copy", file, ...dataDir]);
  }
  const owned = started.move();
  return { client: createClient({ url, apiKey }), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function succeed(words: readonly string[], env = {}): Promise<void> {
  const { status, stderr } = await quern(words, env);
  if (status !== 0) throw new Error(`quern ${words.slice(0, 3).join(" ")} failed: ${stderr}`);
}
