import { ago } from "./program-tables.ts";
import * as programs from "./programs/index.ts";

/** Statement in the dialect of the old service, and what `quern migrate check` finds. */
export interface OldStatement {
  readonly sql: string;
  readonly verdict: "runs" | "may-differ" | "rewrite" | "by-hand";
  /** Rules of the differences; of a rewrite, those that remain. */
  readonly differences?: readonly string[];
  readonly by?: "transpiler";
  /** Rows of the rewrite, else of the statement. */
  readonly rows?: readonly (readonly unknown[])[];
  readonly errorName?: string;
}

const sales = "solana.core.fact_nft_sales";
const swaps = "solana.defi.ez_dex_swaps";
const { agentTool, contractMetrics, evmAccount, gasReport, nftHistory } = programs;
const { nftMints, tokenStats, validatorRevenue, venueSeries, walletRanking } = programs;
const dayOf = (days: number) => ago(days).slice(0, 10);

/** Statements of published programs, and others with constructs of public dashboards, on the tables of the programs. */
export const oldStatements: Readonly<Record<string, OldStatement>> = {
  "agent-tool": { sql: agentTool.sql, verdict: "runs" },
  "nft-history": {
    sql: nftHistory.sql,
    verdict: "runs",
    rows: [
      ["0xa", 7, ago(40)],
      ["0xb", "1152921504606846976123", ago(3)],
    ],
  },
  "nft-mints": {
    sql: nftMints.sql,
    verdict: "runs",
    rows: [
      ["0xa", 0, 0],
      ["0xb", 0.5, 800],
      ["0xc", 1, null],
    ],
  },
  "contract-metrics": { sql: contractMetrics.sql, verdict: "rewrite", rows: [[ago(90)], [ago(1)]] },
  "evm-account": {
    sql: evmAccount.sql,
    verdict: "rewrite",
    rows: [["tx-beef", ago(5), "A.e467b9dd11fa00df.EVM", "CadenceOwnedAccountCreated", "beef"]],
  },
  "gas-report": {
    sql: gasReport.sql,
    verdict: "rewrite",
    rows: [1, 2, 3].map((days) => [ago(days), `0x0${days}`, 21_000 * days, 50, 1_050_000 * days, "0xc0ffee"]),
  },
  "token-stats": { sql: tokenStats.sql, verdict: "rewrite", differences: [], rows: [[2, 4]] },
  "validator-revenue": {
    sql: validatorRevenue.sql,
    verdict: "rewrite",
    differences: ["concat", "division", "list-index"],
  },
  "venue-series": {
    sql: venueSeries.sql,
    verdict: "rewrite",
    differences: ["division"],
    rows: [
      [ago(1, 1_000), "orca", 151],
      [ago(1, 1_000), "raydium", 149],
    ],
  },
  "wallet-ranking": { sql: walletRanking.sql, verdict: "rewrite", differences: ["division"] },
  "daily-count": {
    sql: `select date_trunc('day', block_timestamp)::date as day, count(1) as txs from base.core.fact_transactions
      where block_timestamp::date >= current_date - 100 group by 1 order by 1`,
    verdict: "runs",
    rows: [
      [dayOf(90), 1],
      [dayOf(1), 1],
    ],
  },
  "default-price": {
    sql: "select coalesce(mint_price_usd, 0) as usd from ethereum.core.ez_nft_mints where nft_address = '0xc'",
    verdict: "runs",
    rows: [[0]],
  },
  "several-conditions": {
    sql: `// the largest sale of each buyer
      select purchaser, max(case when succeeded then sales_amount end) as largest from ${sales}
      where purchaser in ('ada', 'dan') group by 1 order by 1`,
    verdict: "rewrite",
    rows: [
      ["ada", 10.5],
      ["dan", 1],
    ],
  },
  "top-sellers": {
    sql: `select seller, sum(sales_amount)::float as volume, count(distinct tx_id) as txs from ${sales}
      group by seller order by volume desc limit 2`,
    verdict: "may-differ",
    differences: ["float", "nulls-order"],
    rows: [
      ["ada", 99, 1],
      ["bob", 11.5, 2],
    ],
  },
  "first-topic": {
    sql: "select topics[0]::string as topic, count(*) as logs from berachain.testnet.fact_event_logs group by 1",
    verdict: "may-differ",
    differences: ["list-index"],
    rows: [[null, 3]],
  },
  "part-of-text": {
    sql: "select split(contract_address, 'x')[1]::string as name from berachain.testnet.fact_event_logs limit 1",
    verdict: "may-differ",
    differences: ["list-index"],
    rows: [["vault"]],
  },
  "latest-of-each": {
    sql: `select block_number from berachain.testnet.fact_event_logs
      qualify row_number() over (partition by contract_address order by block_number desc) = 1`,
    verdict: "may-differ",
    differences: ["nulls-order"],
    rows: [[900]],
  },
  "last-value": {
    sql: `select distinct platform, last_value(swap_to_amount) over (partition by platform order by block_timestamp) as last
      from ${swaps} where platform = 'orca'`,
    verdict: "may-differ",
    differences: ["window-frame"],
    rows: [["orca", 1]],
  },
  "regexp-with-escapes": {
    sql: "select regexp_replace('a1b22', '\\\\d+', '') as letters, 'ada\\'s' as owner",
    verdict: "rewrite",
    rows: [["ab", "ada's"]],
  },
  "dashboard-parameter": {
    sql: `select count(*) as bought from ${sales} where purchaser = '{{buyer}}'`,
    verdict: "may-differ",
    differences: ["dashboard-parameter"],
  },
  tiers: {
    sql: `select purchaser, iff(sum(sales_amount) > 10, 'whale', 'small') as tier from ${sales} where succeeded
      group by 1 order by 1`,
    verdict: "rewrite",
    rows: [
      ["ada", "whale"],
      ["dan", "small"],
    ],
  },
  buyers: {
    sql: `select listagg(distinct purchaser, ', ') within group (order by purchaser) as buyers from ${sales}`,
    verdict: "rewrite",
    differences: [],
    rows: [["ada, dan, eve"]],
  },
  "sale-before": {
    sql: `select tx_id, zeroifnull(lag(sales_amount) over (order by tx_id)) as before, nvl(null, 'none') as nothing from ${sales}
      order by tx_id limit 2`,
    verdict: "rewrite",
    rows: [
      ["s1", 0, "none"],
      ["s2", 10.5, "none"],
    ],
  },
  "share-without-divisor": {
    sql: `select div0(sum(sales_amount), count_if(seller = 'zed')) as share from ${sales}`,
    verdict: "rewrite",
    rows: [[0]],
  },
  "only-buyers": {
    sql: `select purchaser from ${sales} minus select seller from ${sales} order by 1`,
    verdict: "rewrite",
    rows: [["dan"], ["eve"]],
  },
  "days-between": {
    sql: "select datediff(day, min(block_timestamp), max(block_timestamp)) as days from base.core.fact_transactions",
    verdict: "rewrite",
    rows: [[399]],
  },
  "month-names": {
    sql: `select to_varchar(date_trunc('month', block_timestamp), 'YYYY-MM') as month, monthname(block_timestamp) as name
      from monad.testnet.fact_transactions where tx_hash = '0x01'`,
    verdict: "rewrite",
    rows: [[ago(1).slice(0, 7), new Date(ago(1)).toLocaleString("en", { month: "short", timeZone: "UTC" })]],
  },
  "amount-by-path": {
    sql: `select sum(instruction:parsed:info:amount / pow(10, instruction:parsed:info:decimals)) as amount
      from solana.core.fact_events where instruction:parsed:type = 'burn'`,
    verdict: "rewrite",
    rows: [[9]],
  },
  flatten: {
    sql: `select tx_id, f.key, f.value::string as mint from solana.core.fact_events, lateral flatten(input => instruction:parsed:info) f
      where f.key = 'mint' and f.value = 'mint2'`,
    verdict: "rewrite",
    rows: [["t4", "mint", "mint2"]],
  },
  "any-pattern": {
    sql: `select tokenid::number as token from ethereum.core.ez_nft_transfers
      where nft_to_address ilike any ('0xC0%', 'none') and nft_address = '0xb'`,
    verdict: "rewrite",
    rows: [["1152921504606846976123"]],
  },
  "object-of-sale": {
    sql: `select object_construct('buyer', purchaser, 'none', null) as sale, array_size(array_construct(1, 2)) as two
      from ${sales} where tx_id = 's1'`,
    verdict: "rewrite",
  },
  "top-one": {
    sql: `select top 1 seller from ${sales} order by seller`,
    verdict: "rewrite",
    by: "transpiler",
    rows: [["ada"]],
  },
  "generated-days": {
    sql: "select dateadd('day', -1 * seq4(), current_date)::date as day from table(generator(rowcount => 3)) order by 1",
    verdict: "rewrite",
    rows: [2, 1, 0].map((days) => [dayOf(days)]),
  },
  "function-of-the-service": {
    sql: "select livequery.live.udf_api('https://example.org/prices') as response",
    verdict: "by-hand",
    errorName: "BinderError",
  },
  "missing-table": {
    sql: "select count(*) as transfers from ethereum.core.ez_token_transfers",
    verdict: "by-hand",
    errorName: "CatalogError",
  },
  "wrong-column": {
    sql: `select purchasers from ${sales}`,
    verdict: "by-hand",
    errorName: "BinderError",
  },
  "no-query": {
    sql: "create or replace table kept as select 1 as n",
    verdict: "by-hand",
    errorName: "StatementNotAllowed",
  },
};
