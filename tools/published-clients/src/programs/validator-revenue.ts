// Modelled on 0xHoneyJar/bear-witness, src/flipside.ts: reduces `records`, typed `QueryResultRecord`, to an object;
// decodes hexadecimal words of event logs.
import { Flipside, type QueryResultRecord } from "@flipsidecrypto/sdk";
import type { Program } from "./program.ts";

type Revenue = Record<string, { amount: number; decimals: number }>;

const statement = (words: { first: string; second: string; third: string; amount: string }) => `
    with incentives as (
      select reward_vault, incentive_token, decimals, sum(amount) as amount from (
        select contract_address as reward_vault, concat('0x', substr(${words.third}, 27, 40)) as incentive_token,
          name, decimals, ${words.amount} / (pow(1e1, decimals)) as amount
        from berachain.testnet.fact_event_logs ip
        join berachain.testnet.dim_contracts c
          on lower(concat('0x', substr(ip.${words.third}, 27, 40))) = lower(c.address)
        where ${words.first} = ('0xd531') and concat('0x', substr(${words.second}, 27, 40)) = lower('0x${"A".repeat(40)}')
          and amount > 0 and BLOCK_NUMBER between '100' and '200'
      )
      group by 1, 2, 3
    )
    select reward_vault, incentive_token, amount, decimals from incentives
    union all
    select lower('0x0') as reward_vault, lower('0xBDA1') as incentive_token, 0, 18 as decimals
    order by incentive_token`;

export const validatorRevenue: Program = {
  sql: statement({
    first: "topics[0]",
    second: "TOPICS[1]",
    third: "TOPICS[2]",
    amount: "(utils.udf_hex_to_int(substr(data, 67, 64))::int)",
  }),
  refused: {
    errorName: "CatalogError",
    duckdb: statement({
      first: "topics[1]",
      second: "TOPICS[2]",
      third: "TOPICS[3]",
      amount: "concat('0x', right(substr(data, 67, 64), 16))::ubigint",
    }),
  },
  async run({ apiKey, url }, sql) {
    const flipside = new Flipside(apiKey, url);
    const result = await flipside.query.run({ sql });
    return (
      result.records?.reduce(
        (all, record: QueryResultRecord) => ({
          ...all,
          [record.incentive_token as string]: {
            amount: record.amount as number,
            decimals: record.decimals as number,
          },
        }),
        {} as Revenue,
      ) ?? {}
    );
  },
};
