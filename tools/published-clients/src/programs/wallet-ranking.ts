// Modelled on Solana-Radiance/radiance-fe, utils/flipside.ts: a generic helper that retries by `error.errorType`, SQL
// whose aliases are used in the same select list.
import { Flipside } from "@flipsidecrypto/sdk";
import type { Program, Service } from "./program.ts";

interface Rank {
  address: string;
  total_volume: number;
  tier: string;
}

async function query<T>({ apiKey, url }: Service, statement: string, attempts = 2): Promise<T[] | undefined> {
  const flipside = new Flipside(apiKey, url);
  const result = await flipside.query.run({ sql: statement, ttlMinutes: 10 });
  // The original is untyped, because the SDK declares the member only on some classes.
  if (result.error && (result.error as { errorType?: string }).errorType !== "USER_ERROR") {
    // The original retries forever.
    if (attempts > 1) return query<T>({ apiKey, url }, statement, attempts - 1);
    return undefined;
  }
  if (!result.records) return [] as T[];
  return result.records as T[];
}

const sql = `
  with buy_volume as (
    select purchaser as address, sum(sales_amount) as volume, count(distinct tx_id) as txs
    from solana.core.fact_nft_sales where succeeded group by 1
  ),
  sell_volume as (
    select seller as address, sum(sales_amount) as volume, count(distinct tx_id) as txs
    from solana.core.fact_nft_sales where succeeded group by 1
  ),
  summaries as (
    select address, sum(volume) as total_volume, sum(txs) as total_tx
    from (select * from buy_volume union select * from sell_volume) group by 1
  ),
  address_count as (select count(1) as address_count from summaries),
  ranks as (
    select address, nvl(total_volume, 0) as total_volume, total_tx,
      rank() over (order by total_volume desc) as rank_by_volume,
      rank_by_volume / address_count as pct,
      case when pct <= 0.25 then 'Top 25%' when pct <= 0.5 then 'Top 50%' else 'Bottom 50%' end as tier
    from summaries join address_count
  )
  select * from ranks order by rank_by_volume, address`;

export const walletRanking: Program = {
  sql,
  refused: {
    errorName: "ParserError",
    duckdb: sql.replace("join address_count", "cross join address_count").replace("nvl(", "coalesce("),
  },
  async run(service, statement) {
    const ranks = await query<Rank>(service, statement);
    return ranks?.map(({ address, total_volume, tier }) => `${address} ${total_volume.toFixed(1)} ${tier}`);
  },
};
