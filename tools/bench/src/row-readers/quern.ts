import { createClient, resumeQuery, rowsOf } from "@quern/client";
import { printReading } from "./reading.ts";

await printReading(async ({ url, apiKey, queryRunId, pageSize }) => {
  const result = await resumeQuery(createClient({ url, apiKey }), queryRunId, { pageSize });
  let rows = 0;
  for await (const row of rowsOf(result)) if (row.id === rows) rows += 1;
  return rows;
});
