// Modelled on openSVM/opensvm, lib/flipside.ts: `cached`, one row of `records`, whose cells are
// tested with `typeof`.
import { Flipside } from "@flipsidecrypto/sdk";
import type { Program } from "./program.ts";

const symbols: Record<string, string> = { mint1: "USDC" };

export const tokenStats: Program = {
  sql: `
    WITH stats AS (
      SELECT COUNT(DISTINCT tx_id) AS tx_count,
        SUM(CASE WHEN instruction:parsed:info:amount::number > 0
          THEN instruction:parsed:info:amount::number / POW(10, instruction:parsed:info:decimals::number)
          ELSE 0 END) AS volume
      FROM solana.core.fact_events
      WHERE program_id = 'Token' AND block_timestamp >= CURRENT_DATE - INTERVAL '30 days'
        AND instruction:parsed:type::string IN ('transfer', 'transferChecked')
        AND instruction:parsed:info:mint::string = 'mint1'
    )
    SELECT COALESCE(tx_count, 0)::number AS tx_count, COALESCE(volume, 0)::number AS volume FROM stats;`,
  refused: {
    errorName: "ParserError",
    duckdb: `
    WITH stats AS (
      SELECT COUNT(DISTINCT tx_id) AS tx_count,
        SUM(CASE WHEN (instruction->>'$.parsed.info.amount')::bigint > 0
          THEN (instruction->>'$.parsed.info.amount')::bigint / POW(10, (instruction->>'$.parsed.info.decimals')::int)
          ELSE 0 END) AS volume
      FROM solana.core.fact_events
      WHERE program_id = 'Token' AND block_timestamp >= CURRENT_DATE - INTERVAL '30 days'
        AND (instruction->>'$.parsed.type') IN ('transfer', 'transferChecked')
        AND (instruction->>'$.parsed.info.mint') = 'mint1'
    )
    SELECT COALESCE(tx_count, 0) AS tx_count, COALESCE(volume, 0) AS volume FROM stats;`,
  },
  async run({ apiKey, url }, sql) {
    const flipside = new Flipside(apiKey, url);
    const symbol = symbols.mint1;
    try {
      const result = await flipside.query.run({
        sql: sql.trim(),
        ttlMinutes: 10,
        cached: true,
        timeoutMinutes: 10,
        pageSize: 1,
        pageNumber: 1,
      });
      if (result.records?.[0]) {
        const record = result.records[0];
        return {
          symbol,
          txCount: typeof record.tx_count === "number" ? record.tx_count : 0,
          volume: typeof record.volume === "number" ? record.volume : 0,
        };
      }
      return { symbol, txCount: 0, volume: 0 };
    } catch (error) {
      throw new Error(error instanceof Error ? error.message : "Failed to execute Flipside query");
    }
  },
};
