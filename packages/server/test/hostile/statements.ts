/** Where a statement that wants to get out would go. */
export interface Places {
  /** A file that no run may read. */
  readonly secret: string;
  /** A folder that no run may write to. */
  readonly outside: string;
  /** The stored result of another tenant. */
  readonly result: string;
  /** The folder in which processes have theirs. */
  readonly work: string;
  /** The file of a data source that the caller does not query. */
  readonly data: string;
  /** A link to the secret that lies in the work folder. */
  readonly link: string;
}

export interface HostileStatement {
  readonly name: string;
  readonly sql: (places: Places) => string;
  /** Among the dozen that are tried each time. */
  readonly quick?: boolean;
}

const files: readonly HostileStatement[] = [
  { name: "reads a file as text", sql: ({ secret }) => `select * from read_text('${secret}')`, quick: true },
  { name: "reads a file as bytes", sql: ({ secret }) => `select * from read_blob('${secret}')` },
  { name: "reads a file as CSV", sql: ({ secret }) => `select * from read_csv('${secret}', header = false)` },
  { name: "reads a file as CSV, guessing", sql: ({ secret }) => `select * from read_csv_auto('${secret}')` },
  { name: "sniffs a file", sql: ({ secret }) => `from sniff_csv('${secret}')` },
  { name: "reads a file as JSON", sql: ({ secret }) => `select * from read_json('${secret}')` },
  { name: "reads a file as lines of JSON", sql: ({ secret }) => `select * from read_ndjson_objects('${secret}')` },
  { name: "names a file as a table", sql: ({ secret }) => `select * from '${secret}'`, quick: true },
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
    quick: true,
  },
  { name: "reads the memory map of its process", sql: () => "select * from read_text('/proc/self/maps')" },
  { name: "reads through ..", sql: () => "select * from read_text('out/../../../../../../../etc/passwd')" },
  { name: "reads through a link", sql: ({ link }) => `select * from read_text('${link}')`, quick: true },
  {
    name: "reads another tenant's result",
    sql: ({ result }) => `select * from read_parquet('${result}')`,
    quick: true,
  },
  { name: "reads the footer of another tenant's result", sql: ({ result }) => `from parquet_metadata('${result}')` },
  { name: "reads the schema of another tenant's result", sql: ({ result }) => `from parquet_schema('${result}')` },
  { name: "lists the folders of other runs", sql: ({ work }) => `select * from glob('${work}/**')` },
  { name: "names another tenant's result as a table", sql: ({ result }) => `from '${result}'` },
  { name: "reads another source's file", sql: ({ data }) => `select * from read_duckdb('${data}', table_name = 't')` },
  { name: "writes a file", sql: ({ outside }) => `copy (select 1) to '${outside}/a.csv'`, quick: true },
  { name: "writes through ..", sql: () => "copy (select 1) to 'out/../../escaped.csv'" },
  { name: "writes into its own folder", sql: () => "copy (select 1) to 'out/more.parquet'" },
  { name: "ends the service's own COPY", sql: ({ outside }) => `select 1) to '${outside}/b.csv'; copy (select 2` },
  { name: "ends the service's own COPY behind a comment", sql: ({ outside }) => `select 1) to '${outside}/c.csv' --` },
  { name: "exports a database", sql: ({ outside }) => `export database '${outside}/d'` },
  { name: "imports a database", sql: ({ outside }) => `import database '${outside}'` },
  { name: "attaches a new file", sql: ({ outside }) => `attach '${outside}/e.duckdb' as e` },
  { name: "attaches another source", sql: ({ data }) => `attach '${data}' as other` },
  { name: "writes to the standard output", sql: () => "copy (select 1) to '/dev/stdout'" },
];

const network: readonly HostileStatement[] = [
  { name: "reads by HTTP", sql: () => "select * from read_csv('http://127.0.0.1:9/x.csv')", quick: true },
  { name: "reads by HTTPS", sql: () => "select * from 'https://example.com/x.parquet'" },
  { name: "reads from S3", sql: () => "select * from read_parquet('s3://bucket/x.parquet')" },
  { name: "reads what a command prints", sql: () => "select * from read_csv('cat /etc/passwd |')" },
  { name: "attaches a database by HTTP", sql: () => "attach 'https://example.com/x.duckdb' as x" },
  { name: "attaches PostgreSQL", sql: () => "attach 'host=127.0.0.1' as pg (type postgres)" },
  { name: "scans PostgreSQL", sql: () => "select * from postgres_scan('host=127.0.0.1', 'public', 't')" },
];

const extensions: readonly HostileStatement[] = [
  { name: "installs an extension", sql: () => "install httpfs", quick: true },
  { name: "loads an extension", sql: () => "load httpfs" },
  { name: "loads an extension from a file", sql: ({ outside }) => `load '${outside}/x.duckdb_extension'` },
  { name: "installs a community extension", sql: () => "install h3 from community" },
  { name: "updates extensions", sql: () => "update extensions" },
];

const settings: readonly HostileStatement[] = [
  { name: "sets external access", sql: () => "set enable_external_access = true", quick: true },
  { name: "sets the lock", sql: () => "set lock_configuration = false" },
  { name: "sets the memory", sql: () => "set memory_limit = '64GB'" },
  { name: "sets allowed folders", sql: () => "set allowed_directories = ['/']" },
  { name: "resets a setting", sql: () => "reset allowed_directories" },
  { name: "sets by a pragma", sql: () => "pragma threads = 64" },
  { name: "reads settings", sql: () => "select * from duckdb_settings()" },
  { name: "reads one setting", sql: () => "select current_setting('temp_directory')" },
  { name: "reads the paths of databases", sql: () => "select path from duckdb_databases()" },
  { name: "reads secrets", sql: () => "from duckdb_secrets()" },
  { name: "makes a secret", sql: () => "create persistent secret s (type s3, key_id 'a', secret 'b')" },
  { name: "sets a variable", sql: () => "set variable a = 1" },
  { name: "reads an environment variable", sql: () => "select getenv('PATH')" },
];

const logging: readonly HostileStatement[] = [
  {
    name: "logs into a file, which ends the process",
    sql: ({ outside }) => `select * from enable_logging(storage = 'file', storage_path = '${outside}/log')`,
    quick: true,
  },
  { name: "logs to the standard output", sql: () => "select * from enable_logging(storage = 'stdout')" },
  { name: "reads the log", sql: () => "select * from duckdb_logs" },
  { name: "writes to the log", sql: () => "select write_log('x')" },
  {
    name: "profiles into a file",
    sql: ({ outside }) => `pragma enable_profiling = 'json'; set profiling_output = '${outside}/p'`,
  },
  { name: "checkpoints", sql: () => "checkpoint" },
];

const detours: readonly HostileStatement[] = [
  {
    name: "hides a statement in text",
    sql: ({ secret }) => `from query('select * from read_text(''${secret}'')')`,
    quick: true,
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
];

const bombs: readonly HostileStatement[] = [
  { name: "makes a list of a thousand million", sql: () => "select len(range(1000000000))", quick: true },
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
  { name: "writes without end", sql: () => "select hash(range) h, hash(range + 1) i from range(100000000000)" },
];

export const hostileStatements = [...files, ...network, ...extensions, ...settings, ...logging, ...detours, ...bombs];
