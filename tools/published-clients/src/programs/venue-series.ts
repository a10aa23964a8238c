// Modelled on nickpismenkov/solana-arb-backtest, src/flipside.ts and sql.ts: `pageSize: 100_000`, lower-cases the keys
// of records, selects the last price of each second and venue with QUALIFY.
import { Flipside } from "@flipsidecrypto/sdk";
import type { Program, Service } from "./program.ts";

type Row = Record<string, unknown>;

async function runSql({ apiKey, url }: Service, sql: string): Promise<Row[]> {
  const flipside = new Flipside(apiKey, url);
  const result = await flipside.query.run({ sql, maxAgeMinutes: 60, pageSize: 100_000, timeoutMinutes: 20 });
  return (result.records ?? []).map((record) => {
    const lower: Row = {};
    for (const [key, value] of Object.entries(record as Row)) lower[key.toLowerCase()] = value;
    return lower;
  });
}

const statement = (yesterday: string, today: string) => `
    WITH swaps AS (
      SELECT DATE_TRUNC('second', block_timestamp) AS ts, block_timestamp, platform,
        CASE WHEN swap_from_mint = 'SOL' THEN swap_to_amount / swap_from_amount
          ELSE swap_from_amount / swap_to_amount END AS price_usdc_per_sol
      FROM solana.defi.ez_dex_swaps
      WHERE block_timestamp >= ${yesterday} AND block_timestamp < ${today}
        AND ((swap_from_mint = 'SOL' AND swap_to_mint = 'USDC') OR (swap_from_mint = 'USDC' AND swap_to_mint = 'SOL'))
        AND platform IN ('orca', 'raydium') AND swap_from_amount > 0 AND swap_to_amount > 0
    )
    SELECT ts, platform, price_usdc_per_sol
    FROM swaps
    QUALIFY ROW_NUMBER() OVER (PARTITION BY ts, platform ORDER BY block_timestamp DESC) = 1
    ORDER BY ts, platform`;

export const venueSeries: Program = {
  sql: statement("DATEADD('day', -1, DATE_TRUNC('day', SYSDATE()))", "DATE_TRUNC('day', SYSDATE())"),
  refused: { errorName: "CatalogError", duckdb: statement("CURRENT_DATE - INTERVAL 1 DAY", "CURRENT_DATE") },
  async run(service, sql) {
    const rows = await runSql(service, sql);
    return rows
      .map((row) => ({
        ts: Math.floor(new Date(String(row.ts)).getTime() / 1000),
        venue: String(row.platform),
        price: Number(row.price_usdc_per_sol),
      }))
      .filter(({ ts, price }) => Number.isFinite(ts) && Number.isFinite(price) && price > 0)
      .map(({ venue, price }) => ({ venue, price }));
  },
};
