// Modelled on sisyphusSmiling/drop-sight, app/api/flipside/route.ts: a route that reads `rows` by position.
import { Flipside } from "@flipsidecrypto/sdk";
import type { Program } from "./program.ts";

const statement = (address: string) => `
    WITH COA_CREATION AS (
      SELECT *
      FROM flow.core.fact_events
      WHERE EVENT_CONTRACT LIKE 'A.e467b9dd11fa00df.EVM'
      AND EVENT_TYPE LIKE 'CadenceOwnedAccountCreated' AND TX_SUCCEEDED
    )
    SELECT TX_ID, BLOCK_TIMESTAMP, EVENT_CONTRACT, EVENT_TYPE, ${address} as ADDRESS
    FROM COA_CREATION
    WHERE ADDRESS = 'beef'`;

async function answer(request: Request, run: (address: string) => Promise<{ rows: unknown[][] | null }>) {
  try {
    const { evmAddress } = (await request.json()) as { evmAddress?: string };
    if (!evmAddress) return Response.json({ error: "Missing required parameters" }, { status: 400 });
    const result = await run(evmAddress);
    if (!result?.rows?.length) return Response.json({ results: [] });
    const results = result.rows.map((row) => ({
      TX_ID: String(row[0] || ""),
      BLOCK_TIMESTAMP: String(row[1] || ""),
      EVENT_CONTRACT: String(row[2] || ""),
      ADDRESS: String(row[4] || ""),
    }));
    return Response.json({ results });
  } catch {
    return Response.json({ error: "Failed to query Flipside API" }, { status: 500 });
  }
}

export const evmAccount: Program = {
  sql: statement("EVENT_DATA:address :: STRING"),
  refused: { errorName: "ParserError", duckdb: statement("EVENT_DATA->>'address'") },
  async run({ apiKey, url }, sql) {
    const flipside = new Flipside(apiKey, url);
    const request = new Request("http://localhost/api", { method: "POST", body: '{"evmAddress":"0xbeef"}' });
    const response = await answer(request, () => flipside.query.run({ sql, ttlMinutes: 10, cached: true }));
    return { status: response.status, body: (await response.json()) as unknown };
  },
};
