import type pg from "pg";
import { expect, it, vi } from "vitest";
import { withoutTimeLimits } from "../../src/store/connections.ts";
import { migrate } from "../../src/store/migrate.ts";

vi.mock("../../src/store/connections.ts", () => ({ withoutTimeLimits: vi.fn() }));

const address = { text: "PostgreSQL at db", config: {} };
const migrations = ["first", "second", "third"].map((sql, index) => ({ sql, oldestServer: index + 1 }));

/** State of a database: its schema, if it has one, and the tables of others. */
interface State {
  readonly schema?: boolean;
  readonly table?: boolean;
  readonly tables?: number;
  readonly version?: number | null;
  readonly oldestServer?: number | null;
  readonly now?: number;
  readonly fails?: string;
}

/** Migrates a database, and returns the statements that it gets after those that read it. */
async function migrated(state: State, passwordPlace?: string): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  const client = {
    async query(text: string, values?: unknown) {
      if (text === state.fails) throw Object.assign(new Error("it failed"), { code: "42601" });
      if (text.includes("clock_timestamp")) return { rows: [{ now: state.now ?? Date.now() }] };
      if (text.includes("to_regnamespace"))
        return { rows: [{ schema: state.schema ?? false, table: state.table ?? false }] };
      if (text.includes("count(*)")) return { rows: [{ n: String(state.tables ?? 0) }] };
      if (text.includes("max(version)"))
        return { rows: [{ version: state.version ?? null, oldest_server: state.oldestServer ?? null }] };
      sent.push(values === undefined ? text.trim().split("\n")[0] : [text, values]);
      return { rows: [] };
    },
  };
  vi.mocked(withoutTimeLimits).mockImplementation(async (_, work) => work(client as unknown as pg.Client));
  await migrate(address, migrations, passwordPlace);
  return sent;
}

const lock = ["SELECT pg_advisory_lock($1)", [0x71_75_65_72]];
const record = (...values: readonly number[]) => [
  ...["INSERT INTO quern.migrations (version, oldest_server) VALUES ($1, $2)", values],
];

it("creates the schema of an empty database, and applies each migration in a transaction", async () => {
  expect(await migrated({})).toEqual([
    ...[lock, "CREATE SCHEMA IF NOT EXISTS quern;"],
    ...["BEGIN", "first", record(1, 1), "COMMIT"],
    ...["BEGIN", "second", record(2, 2), "COMMIT"],
    ...["BEGIN", "third", record(3, 3), "COMMIT"],
  ]);
  expect((await migrated({ schema: true })).slice(0, 2)).toEqual([lock, "CREATE SCHEMA IF NOT EXISTS quern;"]);
});

it("applies the migrations that a database lacks, none that it has", async () => {
  const known = { schema: true, table: true };
  expect(await migrated({ ...known, version: 2, oldestServer: 3 })).toEqual([
    ...[lock, "BEGIN", "third", record(3, 3), "COMMIT"],
  ]);
  expect(await migrated({ ...known, version: 3, oldestServer: 3 })).toEqual([lock]);
  expect(await migrated({ ...known, version: 7, oldestServer: 3 })).toEqual([lock]);
});

it.each<[string, State, string]>([
  [
    "of a newer version",
    { schema: true, table: true, version: 7, oldestServer: 4 },
    "PostgreSQL at db has schema 7 of a newer version of Quern, and this version knows schema 3; start the newer version.",
  ],
  [
    "of another service",
    { tables: 1 },
    "PostgreSQL at db has tables of another service; configure an empty database, or run CREATE SCHEMA quern in this one to share it.",
  ],
  [
    "with another schema of this name",
    { schema: true, tables: 1 },
    "PostgreSQL at db has a schema named quern that is not of Quern; configure an empty database.",
  ],
  [
    "whose migration fails",
    { fails: "second" },
    "PostgreSQL at db: migration 2 of the store failed (42601) and was rolled back; see the log of PostgreSQL.",
  ],
])("refuses a database %s", async (_, state, message) => {
  await expect(migrated(state)).rejects.toThrow(message);
});

it("refuses a database with another time", async () => {
  await expect(migrated({ now: 0 })).rejects.toThrow(
    /^Wrong clock: it is 1970-01-01T00:00:00.000Z for PostgreSQL at db, and 2.* on this machine; synchronize both clocks\.$/,
  );
});

const coded = (code: string) => Object.assign(new Error("secret"), { code });

it.each<[Error, string]>([
  [coded("28P01"), "it refuses the password; check the user and the password in PGPASSWORD"],
  [coded("28000"), "it refuses the user; check the user, and pg_hba.conf of the server"],
  [coded("3D000"), "the database does not exist; create it"],
  [
    coded("42501"),
    "the user may not create the schema quern or use the database; grant CREATE and CONNECT on the database, or the ownership of the schema",
  ],
  [coded("25006"), "it is read-only; configure the primary server"],
  [coded("53300"), "it has no connection left; raise max_connections or lower the number of servers"],
  [coded("ECONNREFUSED"), "cannot open the store (ECONNREFUSED); check the address"],
  [new AggregateError([coded("ENOTFOUND"), coded("X")]), "cannot open the store (ENOTFOUND); check the address"],
  [new AggregateError([]), "cannot open the store; check the address"],
  [new Error("SASL: no password"), "it asks for a password; set the password in PGPASSWORD"],
  [new Error("The server does not support SSL connections"), "it does not support TLS; change sslmode in the URL"],
  [new Error("timeout expired"), "it does not answer; check the address"],
  [new Error("secret"), "cannot open the store; check the address"],
])("explains the failure %s without its text", async (error, reason) => {
  vi.mocked(withoutTimeLimits).mockRejectedValue(error);
  const failed = migrate(address, migrations, "PGPASSWORD");
  await expect(failed).rejects.toMatchObject({ message: `PostgreSQL at db: ${reason}.`, cause: error });
});

it("names no place of the password if there is none", async () => {
  vi.mocked(withoutTimeLimits).mockRejectedValue(coded("28P01"));
  await expect(migrate(address, migrations)).rejects.toThrow("check the user and the password.");
});
