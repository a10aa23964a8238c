// Modelled on toki-developer/my-nft-history: results up to a day old, `records` asserted to a type, token ids
// beyond 2^53 - 1.
import { Flipside, type QueryResultSet } from "@flipsidecrypto/sdk";
import type { Program } from "./program.ts";

type Transfer = {
  nft_address: string;
  tokenid: string;
  block_timestamp: string;
};

export const nftHistory: Program = {
  sql: `
    select DISTINCT NFT_ADDRESS, TOKENID, BLOCK_TIMESTAMP
    from ethereum.core.ez_nft_transfers
    where UPPER(nft_to_address) = UPPER('0xc0ffee')
    order by BLOCK_TIMESTAMP;`,
  async run({ apiKey, url }, sql) {
    const flipside = new Flipside(apiKey, url);
    const result: QueryResultSet = await flipside.query.run({ sql, maxAgeMinutes: 1440 });
    if (!result.records && !result.error) return [];
    if (result.error) throw new Error(`getNfts: ${result.error.message}`);
    return (result.records as Transfer[]).map(({ nft_address, tokenid, block_timestamp }) => ({
      contractAddress: nft_address,
      tokenId: BigInt(tokenid).toString(),
      date: new Date(block_timestamp).toISOString(),
    }));
  },
};
