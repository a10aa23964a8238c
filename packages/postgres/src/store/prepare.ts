import { hash } from "node:crypto";
import type pg from "pg";
import type { Address } from "./address.ts";
import { findClockDifference } from "./clock.ts";
import { withoutTimeLimits } from "./connections.ts";
import { codeOf } from "./outage.ts";
import { schema } from "./schema.ts";

/** Key of the advisory lock under which one server at a time creates the schema. */
const schemaLock = 0x71_75_65_72;

/** Digest of the schema without its layout. The database has it, to be refused by a version with another schema. */
export const schemaDigest: string = hash("sha256", schema.replace(/\s+/g, " "));

const tablesOfSchema = "SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'quern'";

/** Counts tables of others: in any schema but those of PostgreSQL, and not of an extension. */
const foreignTables = `
  SELECT count(*) AS n FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind IN ('r', 'p') AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg\\_%'
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`;

/**
 * Creates the schema `quern` if the database does not have it. Of several servers that start at the same time, one does
 * it and the others wait.
 * @param passwordPlace place in which an operator sets the password, for messages
 * @throws an error with a one-line message, without secrets, if the database cannot be reached, was not created by Quern,
 *   has the schema of another version, or if its clock differs from that of this machine
 */
export async function prepareDatabase(address: Address, passwordPlace?: string): Promise<void> {
  try {
    await withoutTimeLimits(address, async (client) => {
      const clocks = await findClockDifference(client);
      if (clocks !== undefined)
        throw new Refusal(
          `Wrong clock: it is ${clocks.database} for ${address.text}, and ${clocks.machine} on this machine; synchronize both clocks`,
        );
      // The end of the connection releases it.
      await client.query("SELECT pg_advisory_lock($1)", [schemaLock]);
      const { has_digest } = (await client.query("SELECT to_regclass('quern.schema_digest') IS NOT NULL AS has_digest"))
        .rows[0];
      if (!has_digest) return createSchema(client, address);
      const [found] = (await client.query("SELECT digest FROM quern.schema_digest")).rows;
      if (found?.digest !== schemaDigest)
        throw new Refusal(
          `${address.text} has the schema of another version of Quern; start that version, or configure an empty database`,
        );
    });
  } catch (error) {
    throw startError(error, address, passwordPlace);
  }
}

async function createSchema(client: pg.Client, address: Address): Promise<void> {
  const { has_schema } = (await client.query("SELECT to_regnamespace('quern') IS NOT NULL AS has_schema")).rows[0];
  const { n } = (await client.query(has_schema ? tablesOfSchema : foreignTables)).rows[0];
  if (Number(n) > 0)
    throw new Refusal(
      has_schema
        ? `${address.text} has a schema named quern that was not created by Quern; configure an empty database`
        : `${address.text} has tables of another service; configure an empty database, or run CREATE SCHEMA quern in this one to share it`,
    );
  await client.query("BEGIN");
  await client.query("CREATE SCHEMA IF NOT EXISTS quern");
  try {
    await client.query(`${schema} CREATE TABLE schema_digest (digest text PRIMARY KEY)`);
    await client.query("INSERT INTO schema_digest (digest) VALUES ($1)", [schemaDigest]);
    await client.query("COMMIT");
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : undefined;
    throw new Refusal(
      `${address.text}: the schema quern could not be created (${code ?? "the connection ended"}), and nothing has changed; see the log of PostgreSQL`,
      { cause: error },
    );
  }
}

/** Error whose message is meant for the operator. */
class Refusal extends Error {}

/** Reasons of a failed start, by SQLSTATE. The texts of PostgreSQL may quote what it was sent. */
const reasons: Readonly<Record<string, string>> = {
  "28000": "it refuses the user; check the user, and pg_hba.conf of the server",
  "3D000": "the database does not exist; create it",
  "42501":
    "the user may not create the schema quern or use the database; grant CREATE and CONNECT on the database, or the ownership of the schema",
  "25006": "it is read-only; configure the primary server",
  "53300": "it has no connection left; raise max_connections or lower the number of servers",
};

function startError(error: unknown, address: Address, passwordPlace: string | undefined): Error {
  if (error instanceof Refusal) return new Error(`${error.message}.`, { cause: error.cause });
  const first = error instanceof Error ? firstOf(error) : undefined;
  const code = first && codeOf(first);
  const password = `the password${passwordPlace === undefined ? "" : ` in ${passwordPlace}`}`;
  const refused = code === "28P01" ? `it refuses the password; check the user and ${password}` : undefined;
  const reason = refused ?? (code === undefined ? withoutCode(first, password) : reasons[code]);
  const text = reason ?? `cannot open the store${code === undefined ? "" : ` (${code})`}; check the address`;
  return new Error(`${address.text}: ${text}.`, { cause: error });
}

/** Returns the reason of an error of the client library, which has no code. */
function withoutCode(error: Error | undefined, password: string): string | undefined {
  if (error?.message.startsWith("SASL")) return `it asks for a password; set ${password}`;
  if (error?.message.includes("SSL")) return "it does not support TLS; change sslmode in the URL";
  return error?.message.includes("timeout") ? "it does not answer; check the address" : undefined;
}

/** Returns the first error of several, such as one for each address of a host. */
function firstOf(error: Error): Error {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
}
