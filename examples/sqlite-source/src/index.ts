import { stat } from "node:fs/promises";
import { EngineLostError, type EngineResult, type Execution, type Source, type SourceKind } from "@quern/adapter";
import { engineColumn } from "./columns.ts";
import { type ReaderProcess, startReader } from "./reader.ts";

/** Creates the adapter. A process reads each statement, because SQLite runs a query on the thread that calls it. */
export function createSourceKind(): SourceKind {
  const readers = new Set<ReaderProcess>();

  function start(source: Source, signal: AbortSignal): ReaderProcess {
    signal.throwIfAborted();
    const reader = startReader(source.path ?? "");
    readers.add(reader);
    const end = (): void => reader.end(signal.reason);
    signal.addEventListener("abort", end, { once: true });
    void reader.ended.then(() => {
      readers.delete(reader);
      signal.removeEventListener("abort", end);
    });
    return reader;
  }

  async function once<T>(source: Source, signal: AbortSignal, use: (reader: ReaderProcess) => Promise<T>): Promise<T> {
    const reader = start(source, signal);
    try {
      return await use(reader);
    } finally {
      reader.end();
    }
  }

  return {
    revision: revisionOf,
    hold: async (source) => ({ revision: await revisionOf(source), release: async () => {} }),
    describe: ({ source, sql }, signal) =>
      once(source, signal, async (reader) => ({
        columns: (await reader.prepare(sql, null)).map(engineColumn),
        parameters: [],
      })),
    async begin({ source, sql, parameters }, signal): Promise<Execution> {
      const reader = start(source, signal);
      await reader.prepare(sql, parameters).catch((error: unknown) => {
        reader.end();
        throw error;
      });
      return {
        engineQueryId: null, // the query ends with its process
        progress: () => null,
        result: () => resultOf(reader),
        release: async () => reader.end(),
      };
    },
    async cancel() {},
    tables: ({ source }, signal) =>
      once(source, signal, async (reader) => {
        const tables = await reader.tables();
        return tables.map(({ name, columns }) => ({
          catalog: source.name,
          schema: "main",
          name,
          columns: columns.map(({ nullable, ...column }) => {
            const { kind, engineType } = engineColumn(column);
            return { name: column.name, kind, engineType, nullable };
          }),
        }));
      }),
    async close() {
      for (const reader of readers) reader.end(new EngineLostError("the adapter was closed"));
    },
  };
}

/** @throws {Error} if the source has no file */
export function checkSource({ name, path }: Source): void {
  if (path === null)
    throw new Error(
      `Missing path of the data source ${name}; name an SQLite file: quern sources add ${name} shop.sqlite`,
    );
}

/** Waits for the first rows: until then, the run has the state of one that executes. */
async function resultOf(reader: ReaderProcess): Promise<EngineResult> {
  const first = await reader.rows();
  const columns = await reader.columns();
  async function* rows(): AsyncGenerator<readonly unknown[]> {
    for (let next = first; next.length > 0; next = await reader.rows()) yield* next;
  }
  return { form: "rows", columns: columns.map(engineColumn), rows: rows() };
}

/** Returns a text that changes when a transaction changes the file, or the log beside it. */
async function revisionOf({ path }: Source): Promise<string> {
  const files = await Promise.all([`${path}`, `${path}-wal`].map((file) => stat(file).catch(() => undefined)));
  return files.map((file) => (file === undefined ? "none" : `${file.mtimeMs}-${file.size}`)).join(" ");
}
