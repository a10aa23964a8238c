import { execFile, spawnSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "../../../packages/duckdb/test/sources/postgres.ts";
import { alternately, bounded, median } from "./measure.ts";
import { addSource, finishedRun, startService } from "./service.ts";

const ROWS = 2_000_000;
const ROUNDS = 5;

const columns = `i::bigint AS id, (i % 97)::int AS bucket, (i * 0.01)::numeric(12,2) AS amount, i / 7.0::float8 AS share,
  'customer ' || i AS name, date '2020-01-01' + i % 1000 AS day, timestamp '2020-01-01' + i * interval '1 second' AS at,
  i % 2 = 0 AS even, md5(i::text)::uuid AS key, CASE WHEN i % 5 > 0 THEN 'note, "' || i % 1000 || '"' END AS note`;

/**
 * Measures a statement with two million rows of ten columns of PostgreSQL from its create to its stored result, beside
 * `psql \copy` of the same statement to a CSV file.
 */
export async function engines(): Promise<void> {
  if (spawnSync("psql", ["--version"]).status !== 0) return console.log("not measured: the machine lacks psql");
  await using postgres = await startPostgres();
  await postgres.run(
    `CREATE TABLE bench AS SELECT ${columns} FROM generate_series(1, ${ROWS}) AS t(i)`,
    "VACUUM ANALYZE bench",
    "CREATE ROLE bench_reader LOGIN",
    "GRANT SELECT ON bench TO bench_reader",
  );
  const address = postgres.url.replace("//reader@", "//bench_reader@");
  await using service = await startService();
  await addSource(service, "bench", address, "postgres");
  const file = join(service.folder, "bench.csv");
  const ours = () => finishedRun(service.client, "SELECT * FROM bench", { dataSource: "bench" });
  const theirs = async (): Promise<void> => {
    rmSync(file, { force: true }); // the service writes a new file, too
    await promisify(execFile)("psql", [address, "-qXc", `\\copy (SELECT * FROM bench) TO '${file}' (FORMAT csv)`]);
  };
  await alternately(1, ours, theirs);
  const times = await alternately(ROUNDS, ours, theirs);
  const rate = (values: readonly number[]) => (ROWS / median(values)) * 1_000;
  const megabytes = (statSync(file).size / 1e6).toFixed(0);
  console.log(
    `PostgreSQL, ${ROWS} rows x 10 (${megabytes} MB of CSV), medians of ${ROUNDS}: stored result ${rate(times.ours).toFixed(0)} rows/s, psql \\copy ${rate(times.theirs).toFixed(0)} rows/s`,
  );
  bounded({ what: "PostgreSQL, rows/s, ratio to psql", value: rate(times.ours) / rate(times.theirs), atLeast: 0.7 });
}
