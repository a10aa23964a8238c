// Modelled on getnimbus/spice, src/index.ts: a tool of an MCP server that runs any SQL and ignores `error`, then
// reads pages of 100 rows until `totalPages`.
import { Flipside } from "@flipsidecrypto/sdk";
import type { Program } from "./program.ts";

export const agentTool: Program = {
  sql: `
    SELECT tx_id, swap_from_amount AS volume FROM SOLANA.defi.fact_swaps
    WHERE block_timestamp > NOW() - INTERVAL '24 hours' AND SUCCEEDED = TRUE
    ORDER BY tx_id`,
  async run({ apiKey, url }, sql) {
    const flipside = new Flipside(apiKey, url);
    try {
      const queryResultSet = await flipside.query.run({ sql });
      let currentPageNumber = 1;
      let totalPages = 2;
      let allRows: unknown[] = [];
      while (currentPageNumber <= totalPages) {
        const results = await flipside.query.getQueryResults({
          queryRunId: queryResultSet.queryId as string,
          pageNumber: currentPageNumber,
          pageSize: 100,
        });
        if (results.error) throw results.error;
        totalPages = results.page?.totalPages ?? 0;
        allRows = [...allRows, ...(results.records as unknown[])];
        currentPageNumber += 1;
      }
      return { content: [{ type: "text", text: JSON.stringify(allRows) }] };
    } catch (error) {
      return { isError: true, content: [{ type: "text", text: `Error: ${(error as Error)?.message}` }] };
    }
  },
};
