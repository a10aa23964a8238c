import { EngineLostError, type Source, type SourceKind, type SourceKindContext, unknownRevision } from "@quern/adapter";
import { addressFor, openSession, type PasswordOf, type Session, userPlaceholder } from "./connection.ts";
import { describeStatement, explained } from "./description.ts";
import { beginExecution } from "./execution.ts";
import { sourceError } from "./failure.ts";
import { admit } from "./gate.ts";
import { numbered } from "./parameters.ts";
import { parseQueryId, type QueryId } from "./query-id.ts";
import { listTables } from "./tables.ts";

/**
 * Creates the adapter of PostgreSQL databases, which the statements query in place. Each statement has a connection of
 * its own, in a transaction that only reads.
 */
export function createSourceKind({ secret }: Pick<SourceKindContext, "secret">): SourceKind {
  const sessions = new Set<Session>();
  const passwordOf: PasswordOf = async ({ password }, userId) => {
    if (password === undefined) return undefined;
    return secret("file" in password ? { file: password.file.replaceAll(userPlaceholder, userId) } : password);
  };

  async function open(source: Source, userId: string, signal: AbortSignal): Promise<Session> {
    const opened = await openSession(source, userId, passwordOf, signal);
    const session: Session = {
      ...opened,
      end() {
        sessions.delete(session);
        opened.end();
      },
    };
    sessions.add(session);
    return session;
  }

  /** Uses a connection, which the abort of the signal ends. */
  async function onSession<T>(
    source: Source,
    { userId, signal }: { readonly userId: string; readonly signal: AbortSignal },
    use: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = await open(source, userId, signal);
    signal.addEventListener("abort", session.end, { once: true });
    try {
      return await use(session);
    } catch (error) {
      signal.throwIfAborted();
      throw sourceError(error);
    } finally {
      signal.removeEventListener("abort", session.end);
      session.end();
    }
  }

  /**
   * Terminates a connection, unless its process id has been reused. `pg_cancel_backend` would have no effect before its query begins.
   */
  async function cancelQuery(source: Source, { pid, started, userId }: QueryId): Promise<void> {
    const cancel = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid = $1 AND (extract(epoch FROM backend_start) * 1000000)::int8::text = $2`;
    const signal = AbortSignal.timeout(cancelTimeoutMs);
    const use = ({ client }: Session) => client.query(cancel, [pid, started]);
    await onSession(source, { userId: userId ?? "", signal }, use).catch((error: unknown) => {
      throw signal.aborted ? new EngineLostError("PostgreSQL did not cancel the query in time.") : error;
    });
  }

  return {
    revision: async () => unknownRevision,
    hold: async () => ({ revision: unknownRevision, release: async () => {} }),
    describe({ source, sql, userId }, signal) {
      return onSession(source, { userId, signal }, async ({ client }) => {
        const admitted = await admit(sql);
        const statement = numbered(admitted, null);
        const described = await describeStatement(client, statement);
        const { parameters } = described;
        const { explain } = admitted;
        const { columns } =
          explain === undefined ? described : await describeStatement(client, explained(statement, explain));
        return {
          columns: columns.map(({ name, kind, engineType, storedType }) => ({ name, kind, engineType, storedType })),
          parameters,
        };
      });
    },
    async begin(statement, signal) {
      const { source, userId } = statement;
      const session = await open(source, userId, signal);
      // PostgreSQL parses the statement first, and parsing waits for locked tables.
      signal.addEventListener("abort", session.end, { once: true });
      try {
        return await beginExecution(session, statement, signal, () => cancelQuery(source, session.id));
      } catch (error) {
        session.end();
        signal.throwIfAborted();
        throw sourceError(error);
      } finally {
        signal.removeEventListener("abort", session.end);
      }
    },
    async cancel(source, engineQueryId) {
      const id = parseQueryId(engineQueryId);
      if (id !== undefined) await cancelQuery(source, id);
    },
    tables: ({ source, userId }, signal) => onSession(source, { userId, signal }, ({ client }) => listTables(client)),
    async checkRole(source, signal) {
      if (source.runAs !== "user") await onSession(source, { userId: "", signal }, async () => {});
    },
    async close() {
      for (const session of sessions) session.end();
    },
  };
}

const cancelTimeoutMs = 10_000;

/** Checks the address of a source. @throws {Error} if it is missing or invalid */
export function checkSource(source: Source): void {
  const { name, address, runAs = "fixed" } = source;
  if (address === undefined)
    throw new Error(`Missing address of the data source ${name}; write it as postgres://user@host:5432/database.`);
  const hasPlaceholder = address.includes(userPlaceholder);
  // Two users with one role would read the statements of each other.
  const isRoleOfUser = hasPlaceholder && roleOf(source, "a") !== roleOf(source, "b");
  if (runAs === "user" && !isRoleOfUser)
    throw new Error(
      `Invalid address of the data source ${name}: its statements run as the user of the call; write {user} where its role has the id of the user, such as postgres://quern_{user}@host/database.`,
    );
  if (runAs === "fixed" && hasPlaceholder)
    throw new Error(
      `Invalid address of the data source ${name}: it has {user}, which needs --run-as user, or runAs in the setting sources; set it, or name one role.`,
    );
  if (!roleOf(source, "user"))
    throw new Error(
      `Missing user in the address of the data source ${name}; write it as postgres://user@host/database.`,
    );
}

function roleOf(source: Source, userId: string): string | undefined {
  return addressFor(source, userId).config.user;
}
