import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Flipside } from "@flipsidecrypto/sdk";
import { Flipside as Ours } from "@quern/client/flipside";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyPrograms, type ProgramCopies, writeProject } from "../src/moved-programs.ts";
import { ago, loadProgramTables } from "../src/program-tables.ts";
import * as programs from "../src/programs/index.ts";
import type { Program } from "../src/programs/program.ts";
import { startService } from "../src/service.ts";
import type { Subject } from "../src/subject.ts";

type Name = keyof typeof programs;

let copies: ProgramCopies;
let subject: Subject;
let moved: Record<Name, Program>;
beforeAll(async () => {
  [copies, subject] = await Promise.all([copyPrograms(), startService({}, loadProgramTables)]);
  moved = await import(join(copies.moved, "index.ts"));
});
afterAll(async () => {
  await subject?.[Symbol.asyncDispose]();
  await copies?.[Symbol.asyncDispose]();
});

/** Expected outcomes of the programs on the tables. */
const outcomes: Readonly<Record<Name, unknown>> = {
  agentTool: {
    content: [
      {
        type: "text",
        text: JSON.stringify(
          Array.from({ length: 249 }, (_, at) => ({ tx_id: `swap${String(at).padStart(3, "0")}`, volume: at / 4 })),
        ),
      },
    ],
  },
  contractMetrics: [{ id: "transactions-180", label: "Transactions (180d)", value: [[ago(90)], [ago(1)]] }],
  evmAccount: {
    status: 200,
    body: {
      results: [
        { TX_ID: "tx-beef", BLOCK_TIMESTAMP: ago(5), EVENT_CONTRACT: "A.e467b9dd11fa00df.EVM", ADDRESS: "beef" },
      ],
    },
  },
  gasReport: {
    statusCode: 200,
    columns: ["block_timestamp", "tx_hash", "gas_used", "gas_price", "monad_spent", "from_address"],
    spent: ["0x01 1050000", "0x02 2100000", "0x03 3150000"],
    second: ["0x03"],
    totalRows: 3,
  },
  nftHistory: [
    { contractAddress: "0xa", tokenId: "7", date: ago(40) },
    { contractAddress: "0xb", tokenId: "1152921504606846976123", date: ago(3) },
  ],
  nftMints: {
    failure: undefined,
    columns: ["nft_address", "mint_price_eth", "mint_price_usd"],
    count: 3,
    rows: [
      ["0xa", 0, 0],
      ["0xb", 0.5, 800],
      ["0xc", 1, null],
    ],
    second: ["0xc for 1 ETH"],
    page: 2,
  },
  tokenStats: { symbol: "USDC", txCount: 2, volume: 3.5 },
  validatorRevenue: {
    [`0x${"b".repeat(40)}`]: { amount: 300, decimals: 2 },
    "0xbda1": { amount: 0, decimals: 18 },
  },
  venueSeries: [
    { venue: "orca", price: 151 },
    { venue: "raydium", price: 149 },
  ],
  walletRanking: ["ada 14.5 Top 25%", "bob 11.5 Top 50%", "cyd 4.0 Bottom 50%", "dan 1.0 Bottom 50%"],
};

it("the programs compile on @flipsidecrypto/sdk and, with one import changed, on @quern/client/flipside", async () => {
  const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
  const project = await writeProject(copies);
  const { stdout } = spawnSync(process.execPath, [tsc, "--project", project, "--listFiles"], { encoding: "utf8" });
  expect(stdout.split("\n").filter((line) => line.includes("error TS"))).toEqual([]);
  for (const folder of [copies.original, copies.moved])
    expect(stdout.split("\n").filter((line) => line.startsWith(folder))).toHaveLength(Object.keys(programs).length + 2);
  expect(stdout).toMatch(/@flipsidecrypto\/sdk\/dist\/src\/flipside\.d\.ts/);
  expect(stdout).toMatch(/client\/dist\/flipside\/flipside\.d\.ts/);
});

/** Runs the statement on each package with `run` only. */
const resultsOf = (sql: string) =>
  Promise.all([Flipside, Ours].map((Client) => new Client(subject.apiKey, subject.url).query.run({ sql })));

describe.each(Object.keys(programs) as Name[])("%s", (name) => {
  const { sql, refused } = programs[name];

  const statement = refused?.duckdb ?? sql;

  it("gets the same rows from both", async () => {
    const [old, ours] = await resultsOf(statement);
    const { status, columns, columnTypes, rows, records, error } = old ?? {};
    expect(rows?.length).toBeGreaterThan(0);
    expect(ours).toMatchObject({ status, columns, columnTypes, rows, records, error });
  });

  it("returns the same outcome on both", async () => {
    const [old, ours] = await Promise.all([programs[name], moved[name]].map((one) => one.run(subject, statement)));
    expect(old).toEqual(outcomes[name]);
    expect(ours).toEqual(old);
  });

  if (refused === undefined) return;
  it(`fails on both with ${refused.errorName} where its SQL is Snowflake's`, async () => {
    const [old, ours] = (await resultsOf(sql)).map(({ error }) => error);
    expect(old).toMatchObject({ name: refused.errorName, errorType: "QUERY_RUN_EXECUTION_ERROR" });
    expect(ours).toMatchObject({ name: old?.name, message: old?.message, errorType: "QUERY_RUN_EXECUTION_ERROR" });
    const [failed, failedMoved] = await Promise.all([programs[name], moved[name]].map((one) => one.run(subject, sql)));
    expect(failed).not.toEqual(outcomes[name]);
    expect(failedMoved).toEqual(failed);
  });
});

it("a program that ignores `error` and reads on by `queryId` fails on both, and learns why on @quern/client/flipside", async () => {
  const [old, ours] = await Promise.all(
    [programs.agentTool, moved.agentTool].map((one) => one.run(subject, "select colour from solana.defi.fact_swaps")),
  );
  expect(old).toMatchObject({ isError: true });
  expect(ours).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("colour") }] });
});
