import { EngineLostError, type Execution, type Query, type SourceKind } from "@quern/adapter";
import {
  createDuckDBExecutor,
  type DataOfOwner,
  type DuckDBExecutorOptions,
  type EngineQuery,
  type Executor,
} from "./executor/executor.ts";
import { createLinkedSources, type HeldDatabases, revisionOf } from "./sources/held-data.ts";
import type { SharedSources } from "./sources/shared-sources.ts";

/** Limits and directories of the adapter. */
export interface DuckDBSourceKindOptions extends DuckDBExecutorOptions {
  /** Directory of the hard links to files that statements read; on the file system of the sources. */
  readonly linkDirectory: string;
  /** Sources in a shared storage. @default each source has a path */
  readonly shared?: SharedSources | undefined;
}

// One for all: an error for each statement would take the stack of each release.
const releasedEarly = new EngineLostError("the statement was released before its result was complete");

/**
 * Creates the adapter of sources that are DuckDB files. Statements run in child processes. By default, a process is
 * kept for later statements of the same user on the same source.
 */
export function createDuckDBSourceKind(options: DuckDBSourceKindOptions): SourceKind<HeldDatabases> {
  return sourceKindOf(createDuckDBExecutor(options), options.linkDirectory, options.shared);
}

/** Creates the adapter on an executor. Tests pass one without processes. */
export function sourceKindOf(
  executor: Executor,
  linkDirectory: string,
  shared?: SharedSources,
): SourceKind<HeldDatabases> {
  const linked = createLinkedSources(linkDirectory);
  return {
    readsUploads: true,
    revision: async (source) => (shared === undefined ? revisionOf(source) : shared.revision(source)),
    hold: (source) => (shared ?? linked).hold(source),
    describe: (query, signal) => executor.describe(engineQuery(query), signal),
    async begin(statement, signal): Promise<Execution> {
      signal.throwIfAborted();
      const released = new AbortController();
      const either = AbortSignal.any([signal, released.signal]);
      let share: number | null = null;
      const query = { ...engineQuery(statement), uploads: statement.uploads };
      const executed = executor.execute(query, statement.limits, either, (completed) => {
        share = completed;
      });
      executed.catch(() => {}); // `result` rejects with the same error
      return {
        engineQueryId: null,
        progress: () => share,
        async result() {
          const result = await executed;
          share = 1;
          if (result.path === undefined) return { form: "cells", columns: result.columns, cells: result.cells };
          const { path, columns, rowCount } = result;
          // One COPY computes and writes the rows, so the file is complete when the columns are known.
          return { form: "parquet", columns, file: async () => ({ path, rowCount }) };
        },
        async release() {
          released.abort(releasedEarly);
          await executed.then(
            (written) => written.release(),
            () => {},
          );
        },
      };
    },
    cancel: async () => {}, // no statement outlives the service: its process ends with it
    tables: (query, signal) => executor.tables(dataOfOwner(query), signal),
    complete: (query, position, signal) =>
      executor.complete({ ...dataOfOwner(query), sql: query.sql }, position, signal),
    async close() {
      await executor.close();
      await linked.close();
    },
  };
}

function engineQuery(query: Query<HeldDatabases>): EngineQuery {
  return { ...dataOfOwner(query), sql: query.sql, parameters: query.parameters };
}

function dataOfOwner({
  tenantId,
  userId,
  source,
  data,
}: Omit<Query<HeldDatabases>, "sql" | "parameters">): DataOfOwner {
  const { databases, revision } = data;
  return { databases, revision, owner: JSON.stringify([tenantId, userId, source.name]) };
}
