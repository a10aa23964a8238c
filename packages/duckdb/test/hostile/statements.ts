import type { HostileStatement } from "./hostile-statement.ts";
import { plans } from "./plans.ts";

const files: readonly HostileStatement[] = [
  { name: "reads a file as text", sql: ({ secret }) => `select * from read_text('${secret}')` },
  { name: "reads a file as bytes", sql: ({ secret }) => `select * from read_blob('${secret}')` },
  { name: "reads a file as CSV", sql: ({ secret }) => `select * from read_csv('${secret}', header = false)` },
  { name: "reads a file as CSV, guessing", sql: ({ secret }) => `select * from read_csv_auto('${secret}')` },
  { name: "sniffs a file", sql: ({ secret }) => `from sniff_csv('${secret}')` },
  { name: "reads a file as JSON", sql: ({ secret }) => `select * from read_json('${secret}')` },
  { name: "reads a file as lines of JSON", sql: ({ secret }) => `select * from read_ndjson_objects('${secret}')` },
  { name: "names a file as a table", sql: ({ secret }) => `select * from '${secret}'` },
  { name: "reads a file in a subquery", sql: ({ secret }) => `select (select content from read_text('${secret}'))` },
  { name: "reads a file in a CTE", sql: ({ secret }) => `with s as (from read_text('${secret}')) select * from s` },
  {
    name: "reads a file in a lateral join",
    sql: ({ secret }) => `select * from range(1) t, lateral read_text('${secret}')`,
  },
  { name: "reads files by a pattern", sql: () => "select * from read_text('/etc/*.conf')" },
  { name: "lists files", sql: () => "select * from glob('/etc/*')" },
  {
    name: "reads the environment of its process",
    sql: () => "select * from read_blob('/proc/self/environ')",
  },
  { name: "reads the memory map of its process", sql: () => "select * from read_text('/proc/self/maps')" },
  { name: "reads through ..", sql: () => "select * from read_text('out/../../../../../../../etc/passwd')" },
  { name: "reads through a link", sql: ({ link }) => `select * from read_text('${link}')` },
  {
    name: "reads another tenant's result",
    sql: ({ result }) => `select * from read_parquet('${result}')`,
  },
  { name: "reads the footer of another tenant's result", sql: ({ result }) => `from parquet_metadata('${result}')` },
  { name: "reads the schema of another tenant's result", sql: ({ result }) => `from parquet_schema('${result}')` },
  { name: "lists the folders of other runs", sql: ({ work }) => `select * from glob('${work}/**')` },
  { name: "names another tenant's result as a table", sql: ({ result }) => `from '${result}'` },
  { name: "reads another source's file", sql: ({ data }) => `select * from read_duckdb('${data}', table_name = 't')` },
  {
    name: "reads the result of a run that executes",
    sql: ({ run }) => `from read_parquet('${run}/out/result.parquet')`,
  },
  {
    name: "reads what another run spills",
    sql: ({ run }) => `from read_blob('${run}/spill/duckdb_temp_storage-0.tmp')`,
  },
  { name: "replaces the result of another run", sql: ({ run }) => `copy (select 1) to '${run}/out/result.parquet'` },
  { name: "replaces another tenant's result", sql: ({ result }) => `copy (select 1) to '${result}'` },
  { name: "drops a table of its source", sql: () => "drop table own.t" },
  { name: "changes a table of its source", sql: () => "insert into own.t values (2)" },
  { name: "attaches its source to write", sql: ({ own }) => `attach '${own}' as again (read_write)` },
  {
    name: "attaches its source to write in place of the one that it has",
    sql: ({ own }) =>
      `use memory; detach own; attach '${own}' as again (read_write); create table again.x as select 1; select 1`,
  },
  { name: "overwrites its source", sql: ({ own }) => `copy (select 1) to '${own}' (use_tmp_file false)` },
  { name: "leaves a write-ahead log beside its source", sql: ({ own }) => `copy (select 1) to '${own}.wal'` },
  {
    name: "attaches its source to write by the name that the engine has opened",
    sql: () =>
      "use memory; detach own; attach 'out/0.duckdb' as again (read_write); create table again.x as select 1; select 1",
    without: "WasRun",
  },
  {
    name: "overwrites the empty database of all processes",
    sql: ({ work }) => `copy (select 1) to '${work}/memory.duckdb' (use_tmp_file false)`,
  },
  {
    name: "leaves a write-ahead log beside the empty database",
    sql: ({ work }) => `copy (select 1) to '${work}/memory.duckdb.wal'`,
  },
  {
    name: "attaches the empty database to write",
    sql: ({ work }) => `attach '${work}/memory.duckdb' as again (read_write)`,
  },
  { name: "exports into the folder of another run", sql: ({ run }) => `export database '${run}/out'` },
  { name: "writes a file", sql: ({ outside }) => `copy (select 1) to '${outside}/a.csv'` },
  { name: "writes through ..", sql: () => "copy (select 1) to 'out/../../escaped.csv'" },
  { name: "writes into its own folder", sql: () => "copy (select 1) to 'out/more.parquet'", without: "WasRun" },
  { name: "ends the service's own COPY", sql: ({ outside }) => `select 1) to '${outside}/b.csv'; copy (select 2` },
  { name: "ends the service's own COPY behind a comment", sql: ({ outside }) => `select 1) to '${outside}/c.csv' --` },
  { name: "exports a database", sql: ({ outside }) => `export database '${outside}/d'` },
  { name: "imports a database", sql: ({ outside }) => `import database '${outside}'` },
  { name: "attaches a new file", sql: ({ outside }) => `attach '${outside}/e.duckdb' as e` },
  { name: "attaches another source", sql: ({ data }) => `attach '${data}' as other` },
  { name: "writes to the standard output", sql: () => "copy (select 1) to '/dev/stdout'" },
];

const network: readonly HostileStatement[] = [
  { name: "reads by HTTP", sql: () => "select * from read_csv('http://127.0.0.1:9/x.csv')" },
  { name: "reads by HTTPS", sql: () => "select * from 'https://example.com/x.parquet'" },
  { name: "reads from S3", sql: () => "select * from read_parquet('s3://bucket/x.parquet')" },
  { name: "reads what a command prints", sql: () => "select * from read_csv('cat /etc/passwd |')" },
  { name: "attaches a database by HTTP", sql: () => "attach 'https://example.com/x.duckdb' as x" },
  { name: "attaches PostgreSQL", sql: () => "attach 'host=127.0.0.1' as pg (type postgres)" },
  { name: "scans PostgreSQL", sql: () => "select * from postgres_scan('host=127.0.0.1', 'public', 't')" },
];

const extensions: readonly HostileStatement[] = [
  { name: "installs an extension", sql: () => "install httpfs" },
  { name: "loads an extension", sql: () => "load httpfs" },
  { name: "loads an extension from a file", sql: ({ outside }) => `load '${outside}/x.duckdb_extension'` },
  { name: "installs a community extension", sql: () => "install h3 from community" },
  { name: "updates extensions", sql: () => "update extensions" },
];

const settings: readonly HostileStatement[] = [
  { name: "sets external access", sql: () => "set enable_external_access = true" },
  { name: "sets the lock", sql: () => "set lock_configuration = false" },
  { name: "sets the memory", sql: () => "set memory_limit = '64GB'" },
  { name: "sets allowed folders", sql: () => "set allowed_directories = ['/']" },
  { name: "resets a setting", sql: () => "reset allowed_directories" },
  { name: "sets by a pragma", sql: () => "pragma threads = 64" },
  { name: "reads settings", sql: () => "select * from duckdb_settings()", without: "success" },
  { name: "reads one setting", sql: () => "select current_setting('temp_directory')", without: "success" },
  { name: "reads the paths of databases", sql: () => "select path from duckdb_databases()", without: "success" },
  { name: "reads secrets", sql: () => "from duckdb_secrets()", without: "success" },
  { name: "makes a secret", sql: () => "create persistent secret s (type s3, key_id 'a', secret 'b')" },
  { name: "sets a variable", sql: () => "set variable a = 1", without: "WasRun" },
  { name: "reads an environment variable", sql: () => "select getenv('PATH')" },
];

const logging: readonly HostileStatement[] = [
  {
    name: "logs into a file",
    sql: ({ outside }) => `select * from enable_logging(storage = 'file', storage_path = '${outside}/log')`,
    without: "success",
  },
  {
    name: "logs into a file, which aborts the process",
    sql: ({ outside }) => `from enable_logging(storage = 'file', storage_path = '${outside}/log'); select 1`,
    without: "WorkerLost",
  },
  {
    name: "logs to the standard output",
    sql: () => "select * from enable_logging(storage = 'stdout')",
    without: "success",
  },
  { name: "reads the log", sql: () => "select * from duckdb_logs", without: "success" },
  { name: "writes to the log", sql: () => "select write_log('x')", without: "success" },
  {
    name: "profiles into a file",
    sql: ({ outside }) => `pragma enable_profiling = 'json'; set profiling_output = '${outside}/p'`,
  },
  { name: "checkpoints", sql: () => "checkpoint", without: "WasRun" },
];

const detours: readonly HostileStatement[] = [
  {
    name: "hides a statement in text",
    sql: ({ secret }) => `from query('select * from read_text(''${secret}'')')`,
  },
  { name: "names a table by text", sql: ({ secret }) => `from query_table('${secret}')` },
  {
    name: "hides a statement in JSON",
    sql: ({ secret }) => `from json_execute_serialized_sql(json_serialize_sql('from read_text(''${secret}'')'))`,
  },
  { name: "prepares a statement", sql: ({ secret }) => `prepare p as select * from read_text('${secret}')` },
  { name: "makes a macro", sql: ({ secret }) => `create macro m() as table from read_text('${secret}')` },
  { name: "makes a view", sql: ({ secret }) => `create view v as from read_text('${secret}')` },
  { name: "says two things", sql: ({ secret }) => `select 1; select * from read_text('${secret}')` },
  { name: "makes a table", sql: () => "create table t as select 1" },
  {
    name: "writes a file in EXPLAIN ANALYZE",
    sql: ({ outside }) => `explain analyze copy (select 1) to '${outside}/explained.csv'`,
  },
  { name: "changes its source in EXPLAIN ANALYZE", sql: () => "explain analyze insert into own.t values (2)" },
  {
    name: "makes a table in EXPLAIN ANALYZE",
    sql: () => "explain (analyze, format json) create table memory.main.t as select 1",
  },
  { name: "attaches a file in EXPLAIN", sql: ({ data }) => `explain attach '${data}' as other` },
  { name: "sets the memory in EXPLAIN ANALYZE", sql: () => "explain analyze set memory_limit = '64GB'" },
  { name: "reads a file in EXPLAIN", sql: ({ secret }) => `explain from read_csv('${secret}')` },
  {
    name: "reads a file in EXPLAIN ANALYZE behind a comment",
    sql: ({ secret }) => `explain /* /* */ select 1 */ analyze -- select 1\n from read_text('${secret}')`,
  },
  {
    name: "says two things to EXPLAIN",
    sql: ({ outside }) => `explain select 1; copy (select 1) to '${outside}/second.csv'`,
  },
  {
    name: "gives a statement as an option of EXPLAIN",
    sql: ({ secret }) => `explain (format json, (select content from read_text('${secret}'))) select 1`,
  },
  {
    name: "reads a file for the values of a PIVOT",
    sql: ({ secret }) => `pivot (from read_text('${secret}')) on content`,
  },
  {
    name: "hides a statement in the values of a PIVOT",
    sql: ({ secret }) => `with s as (from query('from read_text(''${secret}'')')) pivot s on content`,
  },
  { name: "writes a PIVOT to a file", sql: ({ outside }) => `copy (pivot own.t on n) to '${outside}/pivot.csv'` },
  {
    name: "explains the writing of a PIVOT",
    sql: ({ outside }) => `explain analyze copy (pivot own.t on n) to '${outside}/pivot.csv'`,
  },
  {
    name: "writes a file behind a PIVOT",
    sql: ({ outside }) => `pivot own.t on n; copy (select 1) to '${outside}/behind.csv'`,
  },
  {
    name: "makes a type before a PIVOT, as the engine does",
    sql: () => "create type temp.e as enum (select 'a'); pivot own.t on n",
  },
  { name: "makes a table of a PIVOT", sql: () => "create table memory.main.p as pivot own.t on n" },
  {
    name: "reads paths for the values of a PIVOT",
    sql: () => "pivot (select path from duckdb_databases()) on path",
  },
  {
    name: "reads the service's text by the engine's own function",
    sql: () => "select system.main.current_query()",
    without: "success",
  },
  {
    name: "reads the service's text for the values of a PIVOT",
    sql: () => "pivot own.t on pg_catalog.current_query() || n",
  },
];

/** A limit ends them. */
export const bombs: readonly HostileStatement[] = [
  { name: "makes a list of a thousand million", sql: () => "select len(range(1000000000))" },
  { name: "makes a text of four thousand million", sql: () => "select length(repeat('x', 4000000000))" },
  { name: "aggregates into lists", sql: () => "select len(list(hash(range))) from range(300000000)" },
  {
    name: "joins all with all",
    sql: () => "select count(*) from range(1000000000) a(i), range(1000000000) b(j) where i <> j",
  },
  {
    name: "recurses without end",
    sql: () => "with recursive r(n) as (select 1 union all select n + 1 from r) select max(n) from r",
  },
  { name: "sleeps", sql: () => "select sleep_ms(3600000)" },
  {
    name: "plans as many unions as a statement has room for",
    sql: () => `${"select 1 union all ".repeat(13_500)}select 1`,
  },
  { name: "nests parentheses", sql: () => `select ${"(".repeat(20_000)}1${")".repeat(20_000)}` },
  { name: "nests subqueries", sql: () => `${"select * from (".repeat(3_000)}select 1${")".repeat(3_000)}` },
  { name: "negates fifty thousand times", sql: () => `select ${"not ".repeat(50_000)}true` },
  {
    name: "fills its own folder with files",
    sql: () =>
      "copy (select hash(range) h, hash(range + 1) i from range(100000000000)) to 'out/parts' (format parquet, compression uncompressed, per_thread_output, file_size_bytes '20MB')",
    without: "limit",
  },
  {
    name: "sorts more than its share of the disk",
    sql: () => "select hash(range) h from range(100000000000) order by h",
  },
  { name: "computes without looking up", sql: () => "select levenshtein(repeat('a', 1000000), repeat('b', 1000000))" },
  { name: "writes without end", sql: () => "select hash(range) h, hash(range + 1) i from range(100000000000)" },
];

export const hostileStatements = [
  ...files,
  ...network,
  ...extensions,
  ...settings,
  ...logging,
  ...detours,
  ...plans,
  ...bombs,
];
