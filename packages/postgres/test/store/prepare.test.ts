import type pg from "pg";
import { expect, it, vi } from "vitest";
import { withoutTimeLimits } from "../../src/store/connections.ts";
import { prepareDatabase, schemaDigest } from "../../src/store/prepare.ts";

vi.mock("../../src/store/connections.ts", () => ({ withoutTimeLimits: vi.fn() }));

const address = { text: "PostgreSQL at db", config: {} };
/** State of a database: its schema, if it has one, and the tables of others. */
interface State {
  readonly schema?: boolean;
  readonly digest?: string;
  readonly tables?: number;
  readonly now?: number;
  readonly fails?: boolean;
}

/** Prepares a database, and returns the first words of the statements that change it. */
async function prepared(state: State): Promise<readonly string[]> {
  const sent: string[] = [];
  const client = {
    async query(text: string) {
      if (text.includes("CREATE TABLE") && state.fails) throw Object.assign(new Error("it failed"), { code: "42601" });
      if (text.includes("clock_timestamp()") && text.startsWith("SELECT"))
        return { rows: [{ now: state.now ?? Date.now() }] };
      if (text.includes("has_digest")) return { rows: [{ has_digest: state.digest !== undefined }] };
      if (text.includes("has_schema")) return { rows: [{ has_schema: state.schema ?? false }] };
      if (text.includes("count(*) AS n FROM pg_")) return { rows: [{ n: String(state.tables ?? 0) }] };
      if (text.startsWith("SELECT digest")) return { rows: [{ digest: state.digest }] };
      sent.push(text.trim().split(" ").slice(0, 2).join(" "));
      return { rows: [] };
    },
  };
  vi.mocked(withoutTimeLimits).mockImplementation(async (_, work) => work(client as unknown as pg.Client));
  await prepareDatabase(address);
  return sent;
}

const lock = "SELECT pg_advisory_lock($1)";
const creation = [lock, "BEGIN", "CREATE SCHEMA", "CREATE TABLE", "INSERT INTO", "COMMIT"];

it("creates the schema of an empty database in a transaction, and leaves one that has it", async () => {
  expect(await prepared({})).toEqual(creation);
  expect(await prepared({ schema: true })).toEqual(creation);
  expect(await prepared({ schema: true, tables: 20, digest: schemaDigest })).toEqual([lock]);
});

it.each<[string, State, string]>([
  [
    "of another version",
    { schema: true, tables: 20, digest: "other" },
    "PostgreSQL at db has the schema of another version of Quern; start that version, or configure an empty database.",
  ],
  [
    "of another service",
    { tables: 1 },
    "PostgreSQL at db has tables of another service; configure an empty database, or run CREATE SCHEMA quern in this one to share it.",
  ],
  [
    "with another schema of this name",
    { schema: true, tables: 1 },
    "PostgreSQL at db has a schema named quern that was not created by Quern; configure an empty database.",
  ],
  [
    "whose schema cannot be created",
    { fails: true },
    "PostgreSQL at db: the schema quern could not be created (42601), and nothing has changed; see the log of PostgreSQL.",
  ],
])("refuses a database %s", async (_, state, message) => {
  await expect(prepared(state)).rejects.toThrow(message);
});

it("refuses a database with another time", async () => {
  await expect(prepared({ now: 0 })).rejects.toThrow(
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
  const failed = prepareDatabase(address, "PGPASSWORD");
  await expect(failed).rejects.toMatchObject({ message: `PostgreSQL at db: ${reason}.`, cause: error });
});

it("names no place of the password if there is none", async () => {
  vi.mocked(withoutTimeLimits).mockRejectedValue(coded("28P01"));
  await expect(prepareDatabase(address)).rejects.toThrow("check the user and the password.");
});
