// Modelled on FlipsideCrypto/sdk, examples/js/react-app: returns a pair of result and error, reads
// pages by `pageSize` and `pageNumber`.
import { Flipside, type Query, type QueryResultSet } from "@flipsidecrypto/sdk";
import type { Program, Service } from "./program.ts";

async function mintsOf(
  { apiKey, url }: Service,
  sql: string,
  pageSize = 100000,
  pageNumber = 1,
): Promise<[QueryResultSet | null, Error | null]> {
  const flipside = new Flipside(apiKey, url);
  const query: Query = { sql, ttlMinutes: 120, pageSize, pageNumber };
  const result = await flipside.query.run(query);
  if (result.error) return [null, result.error];
  return [result, null];
}

export const nftMints: Program = {
  sql: `
    SELECT nft_address, mint_price_eth, mint_price_usd
    FROM ethereum.core.ez_nft_mints
    WHERE nft_to_address = LOWER('0xC0FFEE')
    ORDER BY nft_address`,
  async run(service, sql) {
    const [all, failure] = await mintsOf(service, sql);
    const [second] = await mintsOf(service, sql, 2, 2);
    return {
      failure: failure?.message,
      columns: all?.columns,
      count: all?.runStats?.recordCount,
      rows: all?.rows,
      second: second?.records?.map((record) => `${record.nft_address} for ${record.mint_price_eth} ETH`),
      page: second?.page?.currentPageNumber,
    };
  },
};
