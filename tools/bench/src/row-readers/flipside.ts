import { Flipside } from "@flipsidecrypto/sdk";
import { printReading } from "./reading.ts";

await printReading(async ({ url, apiKey, queryRunId, pageSize }) => {
  const { query } = new Flipside(apiKey, url);
  let rows = 0;
  for (let pageNumber = 1, pages = 1; pageNumber <= pages; pageNumber += 1) {
    const { records, page } = await query.getQueryResults({ queryRunId, pageNumber, pageSize });
    for (const row of records ?? []) if (row.id === rows) rows += 1;
    pages = page?.totalPages ?? 0;
  }
  return rows;
});
