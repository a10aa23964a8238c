import { BasicAuth, Trino } from "trino-client";

const [server, sql] = process.argv.slice(2);
const start = performance.now();
let rows = 0;
for await (const { data, error } of await Trino.create({ server, auth: new BasicAuth("bench") }).query(sql)) {
  if (error) throw new Error(error.message);
  rows += data?.length ?? 0;
}
if (rows === 0) throw new Error("trino-client read no rows");
console.log(performance.now() - start);
