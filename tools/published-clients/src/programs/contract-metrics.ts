// Modelled on gnomadic/web3data, web/src/lib/metrics: reads `rows`, passes no options and ignores
// `error`. The original passes no address to the constructor.
import { Flipside } from "@flipsidecrypto/sdk";
import type { Program } from "./program.ts";

export const contractMetrics: Program = {
  sql: `
    SELECT BLOCK_TIMESTAMP as tx_over_180d
    FROM base.core.fact_transactions
    WHERE TO_ADDRESS = LOWER('0xCAFE')
    AND block_timestamp >= DATEADD('DAY', -180, CURRENT_DATE)
    ORDER BY 1;`,
  refused: {
    errorName: "CatalogError",
    duckdb: `
    SELECT BLOCK_TIMESTAMP as tx_over_180d
    FROM base.core.fact_transactions
    WHERE TO_ADDRESS = LOWER('0xCAFE')
    AND block_timestamp >= CURRENT_DATE - INTERVAL 180 DAY
    ORDER BY 1;`,
  },
  async run({ apiKey, url }, sql) {
    const flipside = new Flipside(apiKey, url);
    const result = await flipside.query.run({ sql });
    if (!result?.rows || result.rows.length === 0) return [];
    return [{ id: "transactions-180", label: "Transactions (180d)", value: result.rows }];
  },
};
