import { createClient, query, rowsOf, sql } from "@quern/client";

const client = createClient({
  url: process.env["QUERN_URL"] ?? "http://127.0.0.1:8080",
  apiKey: process.env["QUERN_API_KEY"] ?? "",
});
const origin = process.argv[2] ?? "Japan";
const result = await query(client, {
  ...sql`select name, horsepower from cars where origin = ${origin} order by horsepower desc nulls last, name limit 3`,
  maxAgeMinutes: 60,
});
for await (const { name, horsepower } of rowsOf(result)) console.log(name, horsepower);
