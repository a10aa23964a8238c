import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { addToSource } from "@quern/server/sources";

const day = 86_400_000;
const midnight = Math.floor(Date.now() / day) * day;

/** Returns an instant, ISO 8601, `days` before today's midnight in UTC. */
export const ago = (days: number, milliseconds = 0): string =>
  new Date(midnight - days * day + milliseconds).toISOString();

const word = (digits: string) => `0x${digits.padStart(64, "0")}`;
const owner = "0xc0ffee";
const instruction = (type: string, mint: string, amount: number) => ({
  parsed: { type, info: { mint, amount, decimals: 6 } },
});

interface Table {
  /** DuckDB types of columns that cannot be inferred from the rows. */
  readonly types?: Readonly<Record<string, string>>;
  readonly rows: readonly object[];
}

/** Small tables that the programs query, by their qualified names `catalog.schema.table`. */
const tables: Readonly<Record<string, Table>> = {
  "ethereum.core.ez_nft_mints": {
    rows: ["a", "b", "c", "d"].map((name, at) => ({
      nft_address: `0x${name}`,
      nft_to_address: name === "d" ? "0xother" : owner,
      mint_price_eth: 0.5 * at,
      mint_price_usd: at === 2 ? null : 800 * at,
    })),
  },
  "ethereum.core.ez_nft_transfers": {
    types: { tokenid: "HUGEINT" },
    rows: [
      { nft_address: "0xa", nft_to_address: "0xC0FFEE", tokenid: "7", block_timestamp: ago(40) },
      { nft_address: "0xa", nft_to_address: owner, tokenid: "7", block_timestamp: ago(40) },
      { nft_address: "0xb", nft_to_address: owner, tokenid: "1152921504606846976123", block_timestamp: ago(3) },
    ],
  },
  "base.core.fact_transactions": {
    rows: [1, 90, 400].map((days) => ({ to_address: "0xcafe", block_timestamp: ago(days) })),
  },
  "solana.core.fact_events": {
    types: { instruction: "JSON" },
    rows: [
      { tx_id: "t1", instruction: instruction("transfer", "mint1", 1_500_000) },
      { tx_id: "t2", instruction: instruction("transferChecked", "mint1", 2_000_000) },
      { tx_id: "t3", instruction: instruction("burn", "mint1", 9_000_000) },
      { tx_id: "t4", instruction: instruction("transfer", "mint2", 9_000_000) },
    ].map((row, at) => ({ ...row, program_id: "Token", block_timestamp: ago(at + 1) })),
  },
  "solana.core.fact_nft_sales": {
    rows: [
      { tx_id: "s1", purchaser: "ada", seller: "bob", sales_amount: 10.5, succeeded: true },
      { tx_id: "s2", purchaser: "ada", seller: "cyd", sales_amount: 4, succeeded: true },
      { tx_id: "s3", purchaser: "dan", seller: "bob", sales_amount: 1, succeeded: true },
      { tx_id: "s4", purchaser: "eve", seller: "ada", sales_amount: 99, succeeded: false },
    ],
  },
  "solana.defi.ez_dex_swaps": {
    rows: [
      {
        at: 1_000,
        platform: "orca",
        swap_from_mint: "SOL",
        swap_from_amount: 2,
        swap_to_mint: "USDC",
        swap_to_amount: 300,
      },
      {
        at: 1_400,
        platform: "orca",
        swap_from_mint: "USDC",
        swap_from_amount: 151,
        swap_to_mint: "SOL",
        swap_to_amount: 1,
      },
      {
        at: 1_500,
        platform: "raydium",
        swap_from_mint: "SOL",
        swap_from_amount: 1,
        swap_to_mint: "USDC",
        swap_to_amount: 149,
      },
      {
        at: 2_000,
        platform: "phoenix",
        swap_from_mint: "SOL",
        swap_from_amount: 1,
        swap_to_mint: "USDC",
        swap_to_amount: 1,
      },
    ].map(({ at, ...swap }) => ({ block_timestamp: ago(1, at), ...swap })),
  },
  "solana.defi.fact_swaps": {
    rows: Array.from({ length: 250 }, (_, at) => ({
      tx_id: `swap${String(at).padStart(3, "0")}`,
      block_timestamp: new Date().toISOString(),
      swap_from_amount: at / 4,
      succeeded: at !== 249,
    })),
  },
  "flow.core.fact_events": {
    types: { event_data: "JSON" },
    rows: ["beef", "f00d"].map((address) => ({
      tx_id: `tx-${address}`,
      block_timestamp: ago(5),
      event_contract: "A.e467b9dd11fa00df.EVM",
      event_type: "CadenceOwnedAccountCreated",
      event_data: { address },
      tx_succeeded: true,
    })),
  },
  "berachain.testnet.dim_contracts": { rows: [{ address: `0x${"b".repeat(40)}`, name: "Honey", decimals: 2 }] },
  "berachain.testnet.fact_event_logs": {
    rows: [120, 180, 900].map((block_number) => ({
      contract_address: "0xvault",
      topics: ["0xd531", word("a".repeat(40)), word("b".repeat(40))],
      data: `${word("1")}${(block_number * 100).toString(16).padStart(64, "0")}`,
      block_number,
    })),
  },
  "monad.testnet.fact_transactions": {
    rows: [1, 2, 3, 60].map((days) => ({
      block_timestamp: ago(days),
      tx_hash: `0x0${days}`,
      gas_used: 21_000 * days,
      gas_price: 50,
      from_address: owner,
    })),
  },
};

/** Loads the tables into the source `chains`, the only source of the data directory. */
export async function loadProgramTables(dataDir: string): Promise<void> {
  const folder = join(dataDir, "loaded");
  await mkdir(folder);
  for (const [name, { types, rows }] of Object.entries(tables)) {
    const from = join(folder, `${name}.jsonl`);
    await writeFile(from, rows.map((row) => JSON.stringify(row)).join("\n"));
    await addToSource({ dataDir, source: "chains" }, { from, as: name, ...(types && { types }) });
  }
}
