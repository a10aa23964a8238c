import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { withEngine } from "../../src/loading/engine.ts";
import type { PostgresColumn } from "../../src/loading/postgres-column.ts";
import type { TableLoad } from "../../src/sources/origin.ts";

class DatabaseError extends Error {}

/** Columns and CSV rows of a table. */
interface Table {
  readonly columns: readonly PostgresColumn[];
  readonly csv: string;
}

let tables: Readonly<Record<string, Table>>;
let calls: unknown[];
/** Number of rows that PostgreSQL says it has sent. @default that of the line breaks */
let sentRows: number | undefined;
let fault: { readonly at: string; readonly error: Error } | undefined;

class Client {
  constructor(options: unknown) {
    calls.push(options);
  }
  async connect(): Promise<void> {
    if (fault?.at === "connect") throw fault.error;
  }
  query(query: string | { readonly text: string }, values?: readonly unknown[]): unknown {
    const text = typeof query === "string" ? query : query.text;
    if (fault !== undefined && text.startsWith(fault.at)) return Promise.reject(fault.error);
    const kind = /FROM (pg_\w+)/.exec(text)?.[1];
    calls.push(kind === undefined ? text : [kind, values]);
    if (kind === "pg_class") return Promise.resolve({ rows: Object.keys(tables).map((name) => ({ name })) });
    const table = tables[String(values?.[1] ?? /"([^"]+)"\) TO/.exec(text)?.[1])];
    if (kind === "pg_attribute") return Promise.resolve({ rows: table?.columns ?? [] });
    if (typeof query === "string") return Promise.resolve();
    const csv = table?.csv ?? "";
    return Object.assign(Readable.from([csv]), { rowCount: sentRows ?? csv.match(/\n/g)?.length });
  }
  async end(): Promise<void> {
    calls.push("end");
    throw new Error("the connection is closed already");
  }
}
vi.mock("pg", () => ({ default: { Client, DatabaseError } }));
vi.mock("pg-copy-streams", () => ({ to: (text: string) => ({ text }) }));
// Another test file in this process may have loaded the module without the mock.
vi.resetModules();
const { loadPostgres } = await import("../../src/loading/postgres.ts");

let workDirectory: string;
beforeAll(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), "quern-postgres-load-"));
});
afterAll(() => rm(workDirectory, { recursive: true }));
beforeEach(() => {
  calls = [];
  sentRows = undefined;
  fault = undefined;
  tables = {
    orders: {
      columns: [
        { name: "id", type: "integer" },
        { name: 'a "b"', type: "text" },
      ],
      csv: '1,x\n2,""\n3,\n',
    },
    "t 2": {
      columns: [
        { name: "tags", type: "text[]" },
        { name: "n", type: "numeric" },
      ],
      csv: '"[""a""]",1.5\n',
    },
  };
});

const url = "postgres://me@db.example:5433/shop";
const all: TableLoad = {
  catalog: "memory",
  schema: "sales",
  table: null,
  loadedAt: "now",
  origin: { kind: "postgres", url, schema: "public" },
};
/** Loads tables, and returns the rows of queries on them. */
function load(
  { table, origin: { table: from } = {} }: { table?: string; origin?: { table?: string } } = {},
  ...queries: string[]
) {
  const origin = { kind: "postgres", url, schema: "public", ...(from === undefined ? {} : { table: from }) } as const;
  return withEngine(workDirectory, async (connection) => {
    await loadPostgres(
      { connection, catalog: "memory", workDirectory },
      { ...all, table: table ?? null, origin },
      origin,
    );
    const rows: unknown[] = [];
    for (const query of queries) rows.push((await connection.runAndReadAll(query)).getRowsJson());
    return rows;
  });
}

const setUp = [
  { connectionString: url, application_name: "quern" },
  "SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC'",
  "SET bytea_output = 'hex'; SET extra_float_digits = 3",
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
];

it("loads all tables of a schema in one transaction, and leaves no file", async () => {
  expect(
    await load({}, "FROM sales.orders", 'FROM sales."t 2"', "DESCRIBE sales.orders", 'DESCRIBE sales."t 2"'),
  ).toEqual([
    [
      [1, "x"],
      [2, ""],
      [3, null],
    ],
    [['["a"]', "1.5"]],
    [expect.arrayContaining(["id", "INTEGER"]), expect.arrayContaining(['a "b"', "VARCHAR"])],
    [expect.arrayContaining(["tags", "JSON"]), expect.arrayContaining(["n", "DECIMAL(18,1)"])],
  ]);
  expect(calls).toEqual([
    ...setUp,
    ["pg_class", ["public"]],
    ["pg_attribute", ["public", "orders"]],
    'COPY (SELECT "id", "a ""b""" FROM "public"."orders") TO STDOUT (FORMAT csv)',
    ["pg_attribute", ["public", "t 2"]],
    'COPY (SELECT to_json("tags"), "n" FROM "public"."t 2") TO STDOUT (FORMAT csv)',
    "COMMIT",
    "end",
  ]);
  expect(await readdir(workDirectory)).toEqual([]);
});

it("fails if the table has other rows than PostgreSQL has sent", async () => {
  sentRows = 4;
  await expect(load({ table: "o", origin: { table: "orders" } })).rejects.toThrow(
    "The table public.orders has 3 rows, but PostgreSQL has sent 4.",
  );
});

it("loads one table under another name, with texts that look like other CSV", async () => {
  const long = "x".repeat(3_000_000);
  const csv = `1,"a,""b""\n'c'\\"\n2,${long}\n3,"\\N"\n`;
  sentRows = 3;
  tables = { orders: { columns: tables.orders?.columns ?? [], csv } };
  const text = 'SELECT "a ""b""" FROM sales.renamed ORDER BY id';
  expect(await load({ table: "renamed", origin: { table: "orders" } }, text)).toEqual([
    [["a,\"b\"\n'c'\\"], [long], ["\\N"]],
  ]);
  expect(calls.slice(setUp.length, -2)).toEqual([
    ["pg_attribute", ["public", "orders"]],
    expect.stringContaining("COPY"),
  ]);
});

it("says which schema or table has no columns, and closes the connection", async () => {
  await expect(load({ origin: { table: "gone" } })).rejects.toThrow(
    `Table not found: public.gone at ${url}; check --table and --schema`,
  );
  tables = {};
  await expect(load()).rejects.toThrow(`No table found: schema public of ${url}; name another schema with --schema`);
  expect(calls.filter((call) => call === "end" || call === "COMMIT")).toEqual(["end", "end"]);
});

const coded = (message: string, code: unknown) => Object.assign(new Error(message), { code });
it.each<[string, Error, string]>([
  ["connect", new DatabaseError("no role"), `PostgreSQL at ${url}: no role`],
  ["connect", coded("refused", "ECONNREFUSED"), `PostgreSQL at ${url}: refused`],
  ["BEGIN", new DatabaseError("ended"), `PostgreSQL at ${url}: ended`],
  [
    "connect",
    new Error("SASL: client password must be a string"),
    "PostgreSQL at db.example:5433 asks for a password; set PGPASSWORD",
  ],
  [
    "connect",
    new Error("The server does not support SSL connections"),
    "PostgreSQL at db.example:5433 does not support TLS; change sslmode in the address",
  ],
])("explains a failure to %s: %s", async (at, error, message) => {
  fault = { at, error };
  await expect(load()).rejects.toMatchObject({ name: "SourceError", message, cause: error });
  expect(calls.at(-1)).toBe("end");
});

it.each([
  new Error("a bug"),
  coded("a bug", "ERR_ASSERTION"),
  coded("a bug", "xEPIPE"),
  coded("a bug", 7),
  new Error("no SASL: password must be"),
  new Error("Oh: The server does not support SSL"),
])("throws other errors as they are: %o", async (error) => {
  fault = { at: "connect", error };
  await expect(load()).rejects.toBe(error);
});
