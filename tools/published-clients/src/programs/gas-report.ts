// Modelled on lispking/gas-dog: a serverless function runs `Query` objects and returns the result sets as JSON; the
// page reads later pages by run id.
import { Flipside, type Query, type QueryResultSet } from "@flipsidecrypto/sdk";
import type { Program, Service } from "./program.ts";

interface GasTransaction {
  tx_hash: string;
  monad_spent: number;
}

const gasQuery = (sql: string): Query => ({ sql, maxAgeMinutes: 15, timeoutMinutes: 5 });

function createHandler({ apiKey, url }: Service) {
  const flipside = new Flipside(apiKey, url);
  const executeQuery = async (query: Query): Promise<QueryResultSet> => flipside.query.run(query);
  const getQueryResults = async (queryRunId: string, pageNumber = 1, pageSize = 1000): Promise<QueryResultSet> =>
    flipside.query.getQueryResults({ queryRunId, pageNumber, pageSize });
  return async (body: string): Promise<{ statusCode: number; body: string }> => {
    try {
      const { type, ...params } = JSON.parse(body || "{}");
      if (type === "executeQuery") return { statusCode: 200, body: JSON.stringify(await executeQuery(params.query)) };
      const { queryRunId, pageNumber, pageSize } = params;
      return { statusCode: 200, body: JSON.stringify(await getQueryResults(queryRunId, pageNumber, pageSize)) };
    } catch {
      return { statusCode: 500, body: JSON.stringify({ error: "Internal server error" }) };
    }
  };
}

const statement = (since: string) => `
    SELECT block_timestamp, tx_hash, gas_used, gas_price, gas_used * gas_price as monad_spent, from_address
    FROM monad.testnet.fact_transactions
    WHERE from_address = LOWER('0xC0FFEE') AND block_timestamp >= ${since}
    ORDER BY block_timestamp DESC`;

export const gasReport: Program = {
  sql: statement("DATEADD(day, -30, CURRENT_DATE())"),
  refused: { errorName: "CatalogError", duckdb: statement("CURRENT_DATE() - INTERVAL 30 DAY") },
  async run(service, sql) {
    const handle = createHandler(service);
    const { statusCode, body } = await handle(JSON.stringify({ type: "executeQuery", query: gasQuery(sql) }));
    const result = JSON.parse(body) as QueryResultSet;
    const transactions = (result.records || []) as unknown as GasTransaction[];
    if (!result.queryId || result.error) return { statusCode, transactions };
    const next = { type: "getQueryResults", queryRunId: result.queryId, pageNumber: 2, pageSize: 2 };
    const page = JSON.parse((await handle(JSON.stringify(next))).body) as QueryResultSet;
    return {
      statusCode,
      columns: result.columns,
      spent: transactions.map(({ tx_hash, monad_spent }) => `${tx_hash} ${monad_spent}`),
      second: page.rows?.map((row) => row[1]),
      totalRows: page.page?.totalRows,
    };
  },
};
