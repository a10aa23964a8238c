import { execFile } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { alternately, bounded, elapsed, median } from "../measure.ts";
import { MILLION_ROWS_SQL } from "../rows/rows.ts";
import { CLI, type Service, startService } from "../service.ts";

const SMALL_ROUNDS = 31;
const EXPORT_ROUNDS = 5;
const COPY = fileURLToPath(new URL("copy.ts", import.meta.url));

/**
 * Measures the command line as processes: its version and a small query beside Node alone and `psql`, and the export of a
 * million rows of ten columns beside a process that runs DuckDB's `COPY` of the same statement.
 */
export async function cli(): Promise<void> {
  await using service = await startService();
  const env = { ...process.env, QUERN_URL: service.url, QUERN_API_KEY: service.apiKey };
  const run = (file: string, ...args: readonly string[]) => promisify(execFile)(file, args, { env });
  const node = (...args: readonly string[]) => run(process.execPath, ...args);
  await version(node);
  await smallQuery(node, run);
  for (const [extension, options] of [
    ["csv", "FORMAT csv"],
    ["parquet", "FORMAT parquet, COMPRESSION zstd"],
  ] as const)
    await exported(service, node, extension, options);
}

type Run = (...args: readonly string[]) => Promise<unknown>;

async function version(node: Run): Promise<void> {
  const times = await alternately(
    SMALL_ROUNDS,
    () => node(CLI, "--version"),
    () => node("-e", "0"),
  );
  const [ours, theirs] = [median(times.ours), median(times.theirs)];
  console.log(`medians of ${SMALL_ROUNDS}: quern --version ${ours.toFixed(0)} ms, node -e 0 ${theirs.toFixed(0)} ms`);
  bounded({ what: "quern --version, ratio to node -e 0", value: ours / theirs, atMost: 1.5 });
}

async function smallQuery(node: Run, run: (file: string, ...args: readonly string[]) => Promise<unknown>) {
  const psql = psqlBinary();
  if (psql === undefined) return console.log("small query not measured: the machine lacks psql");
  await using postgres = await startPostgres();
  const times = { quern: [] as number[], node: [] as number[], psql: [] as number[] };
  for (let round = 0; round <= SMALL_ROUNDS; round += 1) {
    times.quern.push(await elapsed(() => node(CLI, "query", "select 1")));
    times.node.push(await elapsed(() => node("-e", "0")));
    times.psql.push(await elapsed(() => run(psql, postgres.url, "-Xc", "select 1")));
  }
  // The first round fills caches.
  const [ours, alone, theirs] = [times.quern, times.node, times.psql].map((each) => median(each.slice(1)));
  if (ours === undefined || alone === undefined || theirs === undefined) return;
  console.log(
    `medians of ${SMALL_ROUNDS}: quern query 'select 1' ${ours.toFixed(0)} ms, node -e 0 ${alone.toFixed(0)} ms, psql ${theirs.toFixed(0)} ms`,
  );
  bounded({ what: "small query beyond node -e 0, ratio to psql", value: (ours - alone) / theirs, atMost: 2 });
}

/** Returns the path of `psql`. On Debian the command `psql` is a script in Perl, which takes longer than the program. */
function psqlBinary(): string | undefined {
  const folders = (process.env.PATH ?? "").split(":");
  const debian = globSync("/usr/lib/postgresql/*/bin/psql").toSorted().at(-1);
  return debian ?? folders.map((folder) => join(folder, "psql")).find((file) => existsSync(file));
}

async function exported(service: Service, node: Run, extension: string, options: string): Promise<void> {
  const file = join(service.folder, `export.${extension}`);
  const { ours, theirs } = await alternately(
    EXPORT_ROUNDS,
    () => node(CLI, "query", MILLION_ROWS_SQL, "--output", file),
    () => {
      rmSync(file, { force: true }); // the command line writes a new file, too
      return node(COPY, MILLION_ROWS_SQL, file, options);
    },
  );
  console.log(
    `a million rows x 10 to ${extension}, medians of ${EXPORT_ROUNDS}: quern ${median(ours).toFixed(0)} ms, DuckDB's COPY ${median(theirs).toFixed(0)} ms`,
  );
  bounded({ what: `${extension}, ratio to COPY`, value: median(ours) / median(theirs), atMost: 1.4 });
}
