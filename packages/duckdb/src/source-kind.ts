import { EngineLostError, type Execution, type Query, type SourceKind } from "@quern/adapter";
import {
  createDuckDBExecutor,
  type DuckDBExecutorOptions,
  type EngineQuery,
  type Executor,
} from "./executor/executor.ts";
import { type HeldDatabases, holdData, revisionOf } from "./sources/held-data.ts";

export interface DuckDBSourceKindOptions extends DuckDBExecutorOptions {
  /** Where the files that statements read are kept while they are read; on the disk of the sources. */
  readonly linkDirectory: string;
}

/** Creates the kind of sources that are DuckDB files: each statement runs in a process of its own. */
export function createDuckDBSourceKind(options: DuckDBSourceKindOptions): SourceKind<HeldDatabases> {
  return sourceKindOf(createDuckDBExecutor(options), options.linkDirectory);
}

export function sourceKindOf(executor: Executor, linkDirectory: string): SourceKind<HeldDatabases> {
  return {
    revision: revisionOf,
    hold: (source) => holdData(source, linkDirectory),
    describe: (query, signal) => executor.describe(engineQuery(query), signal),
    async begin(statement, signal): Promise<Execution> {
      signal.throwIfAborted();
      const released = new AbortController();
      const either = AbortSignal.any([signal, released.signal]);
      let share: number | null = null;
      const executed = executor.execute(engineQuery(statement), statement.limits, either, (told) => {
        share = told;
      });
      executed.catch(() => {}); // `result` tells of it
      return {
        engineQueryId: null,
        progress: () => share,
        async result() {
          const { path, columns, rowCount } = await executed;
          share = 1;
          // One COPY computes and writes: the file is complete when it is known.
          return { form: "parquet", columns, file: async () => ({ path, rowCount }) };
        },
        async release() {
          released.abort(new EngineLostError("the statement was given up"));
          await executed.then(
            (written) => written.release(),
            () => {},
          );
        },
      };
    },
    cancel: async () => {}, // a process ends with the service that began it
    tables: ({ data }, signal) => executor.tables(data.databases, signal),
    complete: ({ sql, data: { databases } }, position, signal) =>
      executor.complete({ sql, databases }, position, signal),
    close: () => executor.close(),
  };
}

function engineQuery({ sql, parameters, data: { databases } }: Query<HeldDatabases>): EngineQuery {
  return { sql, parameters, databases };
}
