import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createClient, query, rowsOf } from "@quern/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../../packages/duckdb/test/sources/postgres.ts";
import { startStorage, type TestStorage } from "../../../packages/s3/test/storage.ts";
import { hasVersitygw } from "../../../packages/s3/test/versitygw.ts";
import { API_KEY } from "../src/service.ts";
import { type GuidePlace, guideSnippets, openGuide } from "../src/tables-guide.ts";

const hasObjects = hasVersitygw();
let postgres: Postgres;
let objects: TestStorage | undefined;
let guide: GuidePlace;
beforeAll(async () => {
  postgres = await startPostgres();
  await postgres.run(
    "CREATE TABLE payments (order_id bigint, amount numeric(10,2))",
    "INSERT INTO payments VALUES (0, 10.25), (1, 20.5), (99, 1000)",
  );
  objects = hasObjects ? await startStorage() : undefined;
  const addresses = objects === undefined ? {} : await createBuckets(objects);
  guide = await openGuide({ SHOP_DATABASE: postgres.url, ...addresses });
});
afterAll(async () => {
  await guide?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await objects?.[Symbol.asyncDispose]();
});

async function createBuckets({ put, createBucket }: TestStorage): Promise<Readonly<Record<string, string>>> {
  const exports = await createBucket("exports");
  const SHARED = await createBucket("shared");
  await put("exports", "daily/orders/a.csv", "id\n1\n");
  return { EXPORTED_ORDERS: exports.replace("?", "/daily/orders?"), SHARED };
}

if (!hasObjects) it.skip("the guide's commands for object storage do not run here: the machine lacks go"); // as its name says

it("the guide's commands load Parquet, CSV and PostgreSQL as one source, and queries join them", async () => {
  for (const { code, output } of guideSnippets({ hasObjects })) {
    const printed = await guide.run(code);
    if (output === undefined) expect(printed).not.toBe("");
    else expect(printed).toBe(output);
  }
});

it("a reload breaks no query that runs, and leaves one version", async () => {
  const client = createClient({ url: guide.service.url, apiKey: API_KEY });
  // Long enough that several loads happen during it.
  const sql = `select count(*) as n, sum(amount)::double as paid, count(distinct c.name) as customers
    from range(12000000) t(i) join shop.main.orders o on o.id = i % 3
    join crm.customers c on c.id = o.customer_id join billing.payments p on p.order_id = o.id`;
  let loading = true;
  const reader = async (): Promise<unknown[]> => {
    const read: unknown[] = [];
    while (loading || read.length === 0) {
      const result = await query(client, { sql, dataSource: "shop", maxAgeMinutes: 0 });
      read.push(...(await Array.fromAsync(rowsOf(result))));
    }
    return read;
  };
  const readers = [reader(), reader()];
  for (let load = 0; load < 4; load += 1) await guide.run("quern sources load shop");
  loading = false;
  const rows = (await Promise.all(readers)).flat();
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) expect(row).toEqual({ n: 8_000_000, paid: 123_000_000, customers: 2 });
  const files = await readdir(join(guide.dataDir, "sources/shop"));
  expect(files.filter((name) => name.endsWith(".duckdb"))).toHaveLength(1);
  // Links stay for a second after their last query.
  await expect.poll(() => readdir(join(guide.dataDir, "work/sources")), { timeout: 60_000 }).toEqual([]);
});
