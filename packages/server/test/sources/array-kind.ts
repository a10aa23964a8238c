import {
  type EngineColumn,
  type Execution,
  type SourceKind,
  StatementError,
  type StatementFailure,
  type TableColumn,
} from "@quern/adapter";

/** Rows as JavaScript arrays, or as functions that yield them. */
export interface ArrayTable {
  readonly columns: readonly (EngineColumn & Pick<TableColumn, "kind">)[];
  readonly rows: (signal: AbortSignal) => Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>;
}

const catalog = "arrays";
const schema = "main";

/** Example of an adapter for another engine: its statements are `from <table>`. */
export function arrayKind(tables: Readonly<Record<string, ArrayTable>>): SourceKind {
  const running = new Map<string, AbortController>();
  let begun = 0;

  function tableOf(sql: string): ArrayTable {
    const [, name = ""] = /^from (\w+)$/i.exec(sql.trim()) ?? [];
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (table !== undefined) return table;
    throw failed(
      "TableNotFound",
      "USER",
      `There is no table in the statement: ${sql}; use "from" and one of the tables`,
    );
  }

  return {
    revision: async () => "1",
    hold: async () => ({ revision: "1", release: async () => {} }),
    async describe({ sql }) {
      return { columns: tableOf(sql).columns, parameters: [] };
    },
    async begin({ sql }, callerSignal): Promise<Execution> {
      callerSignal.throwIfAborted();
      const { columns, rows } = tableOf(sql);
      begun += 1;
      const engineQueryId = `array_query_${begun}`;
      const controller = new AbortController();
      running.set(engineQueryId, controller);
      const signal = AbortSignal.any([callerSignal, controller.signal]);
      async function* untilAborted(): AsyncGenerator<readonly unknown[]> {
        signal.throwIfAborted();
        for await (const row of rows(signal)) {
          yield row;
          signal.throwIfAborted();
        }
      }
      return {
        engineQueryId,
        progress: () => null,
        result: async () => ({ form: "rows", columns, rows: untilAborted() }),
        async release() {
          running.delete(engineQueryId);
          controller.abort(failed("QueryReleased", "INTERNAL", "The query was released."));
        },
      };
    },
    async cancel(_source, engineQueryId) {
      running.get(engineQueryId)?.abort(failed("QueryCanceled", "USER", "The query was canceled."));
    },
    async tables() {
      return Object.entries(tables).map(([name, { columns }]) => ({
        catalog,
        schema,
        name,
        columns: columns.map(({ name, kind, engineType }) => ({ name, kind, engineType, nullable: true })),
      }));
    },
    async complete({ sql }, position) {
      const [, before = "", word = ""] = /^(from )(\w*)$/i.exec(sql.slice(0, position)) ?? [];
      const names = before === "" ? [] : Object.keys(tables).filter((name) => name.startsWith(word));
      return names.map((text) => ({ text, start: before.length, kind: "table" }));
    },
    async close() {
      for (const controller of running.values())
        controller.abort(failed("Closed", "INTERNAL", "The engine was closed."));
    },
  };
}

export function failed(name: string, category: StatementFailure["data"]["category"], message: string): StatementError {
  return new StatementError({ name, message, data: { category, engine: "arrays", retryable: false } });
}
