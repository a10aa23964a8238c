import { type Execution, type Source, type SourceKind, type SourceKindContext, unknownRevision } from "@quern/adapter";
import { admit } from "./dialect/gate.ts";
import { boundParameters } from "./dialect/parameters.ts";
import { describeStatement, listTables } from "./inspection.ts";
import { formOf } from "./protocol/column-type.ts";
import { type Connection, connect } from "./protocol/connection.ts";
import { cancelQuery, type Query, startQuery } from "./protocol/query.ts";
import { statementSettings } from "./session.ts";

/** Creates the adapter for data sources on ClickHouse. Each statement connects anew. */
export function createSourceKind({ secret }: Pick<SourceKindContext, "secret">): SourceKind {
  const running = new Set<Execution>();

  async function onConnection<T>(
    source: Source,
    userId: string,
    use: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const connection = await connect(source, userId, secret);
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  }

  return {
    revision: async () => unknownRevision,
    hold: async () => ({ revision: unknownRevision, release: async () => {} }),
    async describe({ sql, parameters, source, userId }, signal) {
      signal.throwIfAborted();
      const admitted = await admit(sql);
      signal.throwIfAborted();
      return onConnection(source, userId, (connection) => describeStatement(connection, admitted, parameters, signal));
    },
    async begin(statement, signal) {
      signal.throwIfAborted();
      const { source, userId, runId, attempt, traceparent } = statement;
      const admitted = await admit(statement.sql);
      signal.throwIfAborted();
      const request = {
        sql: admitted.sql,
        queryId: `${runId}-${attempt}`,
        settings: statementSettings(statement),
        parameters: boundParameters(admitted.parameters, statement.parameters),
        ...(traceparent === undefined ? {} : { traceparent }),
      };
      const connection = await connect(source, userId, secret);
      await connection.reach(signal).catch(async (error: unknown) => {
        await connection.close();
        throw error;
      });
      const execution = executionOf(request.queryId, startQuery(connection, request, signal));
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
      await onConnection(source, owner?.userId ?? "", (connection) => cancelQuery(connection, engineQueryId));
    },
    async tables({ source, userId }, signal) {
      signal.throwIfAborted();
      return onConnection(source, userId, (connection) => listTables(connection, signal));
    },
    async close() {
      await Promise.all([...running].map((execution) => execution.release()));
    },
  };
}

function executionOf(engineQueryId: string, query: Query): Execution {
  return {
    engineQueryId,
    progress: query.progress,
    async result() {
      const { columns, arrays, rowCount } = await query.response;
      return {
        form: "encoded",
        encoding: "positional-json",
        columns: columns.map(({ name, type }) => ({ name, engineType: type, storedType: formOf(type).stored })),
        parts: parts(arrays),
        rowCount,
      };
    },
    release: query.release,
  };
}

async function* parts(arrays: AsyncGenerator<Uint8Array>): AsyncGenerator<AsyncIterable<Uint8Array>> {
  for await (const rows of arrays) yield once(rows);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
