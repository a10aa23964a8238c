import { type Execution, inSlices, type SourceKind, type SourceKindContext, unknownRevision } from "@quern/adapter";
import { parseAddress } from "./address.ts";
import { admit } from "./dialect/gate.ts";
import { boundStatement } from "./dialect/parameters.ts";
import { describeStatement, listTables } from "./inspection.ts";
import { storedTypeOf } from "./protocol/column-type.ts";
import { type Connection, connect } from "./protocol/connection.ts";
import { cancelQuery, type Query, startQuery } from "./protocol/query.ts";
import { rowArrays } from "./protocol/segment.ts";
import { statementHeaders, userOf } from "./session.ts";

/** Ids of Trino, such as `20261123_125424_00000_x9mcy`. */
const queryId = /^\w+$/;

/** Creates the adapter for data sources on Trino. It keeps no session between statements. */
export function createSourceKind({ secret }: Pick<SourceKindContext, "secret">): SourceKind {
  const running = new Set<Execution>();

  return {
    revision: async () => unknownRevision,
    hold: async () => ({ revision: unknownRevision, release: async () => {} }),
    async describe(query, signal) {
      signal.throwIfAborted();
      const sql = await inSlices(admit(query.sql, parseAddress(query.source).catalogs));
      return describeStatement(await connect(query.source, userOf(query), secret), sql, signal);
    },
    async begin(statement, signal) {
      signal.throwIfAborted();
      const admitted = await inSlices(admit(statement.sql, parseAddress(statement.source).catalogs));
      const sql = await inSlices(boundStatement(admitted, statement.parameters));
      const connection = await connect(statement.source, userOf(statement), secret);
      const headers = statementHeaders(connection.address, statement);
      const query = await startQuery(connection, { sql, headers }, signal);
      const execution = executionOf(connection, query);
      running.add(execution);
      return {
        ...execution,
        async release() {
          running.delete(execution);
          await execution.release();
        },
      };
    },
    async cancel(source, engineQueryId, owner) {
      if (!queryId.test(engineQueryId)) return;
      const user = owner === undefined ? undefined : userOf({ source, userId: owner.userId });
      await cancelQuery(await connect(source, user, secret), engineQueryId);
    },
    async tables(query, signal) {
      signal.throwIfAborted();
      return listTables(await connect(query.source, userOf(query), secret), signal);
    },
    async close() {
      await Promise.all([...running].map((execution) => execution.release()));
    },
  };
}

function executionOf(connection: Connection, query: Query): Execution {
  return {
    engineQueryId: query.id,
    progress: query.progress,
    async result() {
      const columns = (await query.columns()).map(({ name, type, typeSignature }) => ({
        name,
        engineType: type,
        storedType: storedTypeOf(typeSignature),
      }));
      const { arrays: parts, rowCount } = rowArrays(connection, query);
      return { form: "encoded", encoding: "positional-json", columns, parts, rowCount };
    },
    release: query.release,
  };
}
