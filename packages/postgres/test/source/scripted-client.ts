import { Duplex, PassThrough } from "node:stream";
import type pg from "pg";
import type { CatalogType } from "../../src/source/catalog-type.ts";
import type { Session } from "../../src/source/connection.ts";

/** Statement as the server describes it: its columns with the oids of their types, and the oids of its parameters. */
interface Described {
  readonly columns?: readonly (readonly [name: string, oid: number])[];
  readonly parameters?: readonly number[];
  readonly error?: Error;
}

/** Part of the connection that the description of a statement uses. */
interface Prepared {
  submit(connection: object): void;
  handleRowDescription(message: object): void;
  handleError(error: Error, connection: object): void;
  handleReadyForQuery(): void;
}

/** Handlers of a query with bound values, which a test calls as the server would. */
interface Bound {
  submit(connection: object): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

/** Session without a server, whose COPY delivers what is written to `copy`. */
export interface ScriptedSession {
  readonly session: Session;
  /** Texts of the queries, in their order; of a description `DESCRIBE` and its statement. */
  readonly sent: string[];
  readonly copy: PassThrough;
  /** Query with bound values that was sent last. */
  bound: Bound | undefined;
  readonly socket: Duplex;
  isEnded: boolean;
}

const typeNames: Readonly<Record<number, string>> = { 20: "bigint", 25: "text", 1082: "date" };

/** @param rowsOf returns the rows of a query @default those of the catalog for types, none for others */
export function scriptedSession(
  describe: (text: string) => Described,
  rowsOf: (sql: string, values: readonly unknown[]) => readonly object[] = () => [],
): ScriptedSession {
  const scripted: { -readonly [Key in keyof ScriptedSession]: ScriptedSession[Key] } = {
    sent: [],
    copy: new PassThrough(),
    bound: undefined,
    socket: new Duplex({ read: () => {} }),
    isEnded: false,
    session: undefined as never,
  };
  const types = (values: readonly unknown[]): readonly CatalogType[] =>
    (values[0] as readonly number[]).map((oid, index) => ({
      name: typeNames[oid] ?? "odd",
      oid,
      form: "b",
      isArray: false,
      mod: (values[1] as readonly number[])[index] ?? 0,
    }));

  function prepare(prepared: Prepared): void {
    let text = "";
    const listeners: ((message: object) => void)[] = [];
    const calls: string[] = [];
    const connection = {
      once: (event: string, listener: (message: object) => void) =>
        void (event === "parameterDescription" && listeners.push(listener)),
      off: (_: string, listener: (message: object) => void) => void listeners.splice(listeners.indexOf(listener), 1),
      parse: (message: { readonly name: string; readonly text: string }) => {
        ({ text } = message);
        calls.push(`parse ${message.name}`);
      },
      describe: ({ type, name }: Record<string, string>) => calls.push(`describe ${type} ${name}`),
      sync: () => calls.push("sync"),
    };
    prepared.submit(connection);
    scripted.sent.push(`DESCRIBE ${text}`);
    if (calls.join() !== "parse ,describe S ,sync") throw new Error(`unexpected calls: ${calls.join()}`);
    const { columns, parameters = [], error } = describe(text);
    if (error !== undefined) prepared.handleError(error, connection);
    else for (const listener of listeners) listener({ dataTypeIDs: parameters });
    const fields = columns?.map(([name, dataTypeID]) => ({ name, dataTypeID, dataTypeModifier: -1 }));
    if (error === undefined && fields !== undefined) prepared.handleRowDescription({ fields });
    prepared.handleReadyForQuery();
    if (error !== undefined && listeners.length > 0) throw new Error("a listener was left");
  }

  function execute(bound: Bound): void {
    scripted.bound = bound;
    const note = (call: string) => (message: object) => scripted.sent.push(`${call} ${JSON.stringify(message)}`);
    bound.submit({ parse: note("PARSE"), bind: note("BIND"), execute: note("EXECUTE"), sync: () => {} });
  }

  const client = {
    connection: { stream: scripted.socket },
    query(query: string | Prepared | Bound | { readonly text: string }, values: readonly unknown[] = []) {
      if (typeof query === "string") {
        scripted.sent.push(query);
        return Promise.resolve({ rows: query.includes("format_type") ? types(values) : rowsOf(query, values) });
      }
      if ("handleDataRow" in query) return execute(query as Bound);
      if ("handleReadyForQuery" in query && "handleRowDescription" in query && !("text" in query))
        return prepare(query as Prepared);
      scripted.sent.push((query as { readonly text: string }).text);
      return scripted.copy;
    },
  };
  scripted.session = {
    client: client as unknown as pg.Client,
    id: { pid: 7, started: "8", userId: null },
    end() {
      scripted.isEnded = true;
    },
  };
  return scripted;
}
