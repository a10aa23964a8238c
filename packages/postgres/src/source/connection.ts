import { EngineLostError, type Source, StatementError } from "@quern/adapter";
import pg from "pg";
import { type Address, parseAddress } from "../store/address.ts";
import { connectionError } from "./connection-failure.ts";
import { sourceError } from "./failure.ts";
import { limitMessages } from "./message-limit.ts";
import type { QueryId } from "./query-id.ts";

/** Settings of each connection. They let PostgreSQL write values as the Parquet writer reads them. */
const settings: Readonly<Record<string, string>> = {
  default_transaction_read_only: "on",
  standard_conforming_strings: "on",
  DateStyle: "ISO,YMD",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  jit: "off",
  idle_in_transaction_session_timeout: "60s",
  // With the time to connect, less than the service waits for the begin of a statement: a locked table is no outage.
  lock_timeout: "15s",
};

const connectTimeoutMs = 10_000;

/** Placeholder for the user of a call, in the address and in the path of the password file. */
export const userPlaceholder = "{user}";

/** Reads the password of a source. @param userId replaces the placeholder in the path of its file */
export type PasswordOf = (source: Source, userId: string) => Promise<string | undefined>;

/** Connection in a transaction that only reads. */
export interface Session {
  readonly client: pg.Client;
  readonly id: QueryId;
  /** Ends the connection, without waiting for PostgreSQL. */
  end(): void;
}

/**
 * Checks the id of a user, which can be any text, before it becomes a part of a role or of a path.
 * @throws {StatementError} if it is not a name of at most 63 characters
 */
function checkUserId({ name, address = "", password }: Source, userId: string): void {
  const file = password !== undefined && "file" in password ? password.file : "";
  const isUsed = [address, file].some((text) => text.includes(userPlaceholder));
  if (isUsed && !/^(?!\.+$)[\w.@-]{1,63}$/.test(userId))
    throw denied(`The id of the user cannot be the role of a user on the data source ${name}`);
}

/** Returns the address of a source for the user of a call. @throws {StatementError} if the role would be too long */
export function addressFor({ address = "" }: Source, userId: string, password?: string): Address {
  const parsed = parseAddress(address.replaceAll(userPlaceholder, encodeURIComponent(userId)), password);
  // PostgreSQL would shorten a longer name to that of another role.
  if (Buffer.byteLength(parsed.config.user ?? "") > 63) throw denied("The role has more than 63 bytes");
  return parsed;
}

/** Connects as the role of a source, or as that of the user. Begins a transaction that only reads. */
export async function openSession(
  source: Source,
  userId: string,
  passwordOf: PasswordOf,
  signal: AbortSignal,
): Promise<Session> {
  signal.throwIfAborted();
  checkUserId(source, userId);
  // Refuses a role before the file of its password is read.
  addressFor(source, userId);
  const password = await passwordOf(source, userId);
  const reached = addressFor(source, userId, password);
  const { config } = reached;
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const client = new pg.Client({
    ...config,
    application_name: "quern",
    options: [config.options, ...ours].filter((each) => each !== undefined).join(" "),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  client.on("error", () => {}); // the query in progress reports it
  const end = (): void => {
    client.end().catch(() => {});
    client.connection.stream.destroy();
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    await client.connect().catch((error: unknown) => {
      throw connectionError(error, source, reached);
    });
    limitMessages(client);
    // A backend whose client is gone ends its query. PostgreSQL before 14, and on some systems, cannot detect it.
    await client.query("SET client_connection_check_interval = '2s'").catch(() => {});
    await client.query("BEGIN READ ONLY");
    return { client, id: await identify(client, source, userId), end };
  } catch (error) {
    end();
    signal.throwIfAborted();
    throw sourceError(error);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

interface Identity {
  readonly pid: number;
  readonly started: string;
  readonly role: string;
  readonly isPowerful: boolean;
  readonly isMember: boolean;
  /** Predefined roles that the role is a member of. */
  readonly rights: readonly string[];
}

/** Predefined roles that write, reach files or programs of the server, or see or end sessions of other roles. */
const refusedRights = [
  "pg_execute_server_program",
  "pg_read_server_files",
  "pg_write_server_files",
  "pg_write_all_data",
  "pg_read_all_stats",
  "pg_signal_backend",
  "pg_signal_autovacuum_worker",
  "pg_checkpoint",
  "pg_maintain",
  "pg_create_subscription",
];

/** Returns the id of the query of a connection. @throws {StatementError} if the role may do more than it must */
async function identify(client: pg.Client, { name, runAs }: Source, userId: string): Promise<QueryId> {
  const { rows } = await client.query<Identity>(
    `SELECT pg_backend_pid() AS pid, (extract(epoch FROM a.backend_start) * 1000000)::int8::text AS started,
       r.rolname AS role, r.rolsuper OR r.rolcreaterole OR r.rolreplication AS "isPowerful",
       EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid) AS "isMember",
       ARRAY(SELECT p.rolname::text FROM pg_roles p WHERE p.rolname IN ('${refusedRights.join("', '")}')
         AND pg_has_role(r.oid, p.oid, 'MEMBER') ORDER BY 1) AS rights
     FROM pg_roles r JOIN pg_stat_activity a ON a.pid = pg_backend_pid() WHERE r.rolname = session_user`,
  );
  const [identity] = rows;
  if (identity === undefined) throw new EngineLostError("PostgreSQL does not list its own connection");
  const { pid, started, role, isPowerful, isMember, rights } = identity;
  if (isPowerful)
    throw denied(`The role ${role} of the data source ${name} can change the server; use a role that may only read`);
  if (isMember && runAs === "user")
    throw denied(`The role ${role} of the data source ${name} is a member of other roles; revoke them`);
  if (rights.length > 0)
    throw denied(
      `The role ${role} of the data source ${name} has the rights of ${rights.join(", ")}; revoke them, or use a role that may only read`,
    );
  return { pid, started, userId: runAs === "user" ? userId : null };
}

function denied(message: string): StatementError {
  return new StatementError({
    name: "AccessDenied",
    message: `${message}.`,
    data: { category: "DATA_SOURCE", engine: "postgres", retryable: false },
  });
}
