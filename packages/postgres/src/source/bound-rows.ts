import { Readable } from "node:stream";
import type { Client, Connection, Submittable } from "pg";

/** Query whose values PostgreSQL is sent apart from its text, which other sessions of the role can see. */
export interface BoundQuery {
  readonly text: string;
  /** Oids of the types of the values. */
  readonly types: readonly number[];
  readonly values: readonly (string | null)[];
  /** Names of the parameters, for errors in their values. */
  readonly names: readonly string[];
}

/** Rows as CSV. */
export interface CsvRows extends Readable {
  /** Number of rows that PostgreSQL says it has sent, once the stream has ended. */
  readonly rowCount: number;
}

const chunkLength = 65_536;

/**
 * Runs a query with bound values, and returns its rows as CSV, as COPY writes them. COPY itself takes no values.
 */
export function boundRows(client: Client, { text, types, values, names }: BoundQuery): CsvRows {
  const { stream } = client.connection;
  const rows = Object.assign(new Readable({ read: () => void stream.resume() }), { rowCount: 0 });
  let csv = "";
  let count = 0;

  function flush(): void {
    if (csv === "" || rows.destroyed) return;
    const isFull = !rows.push(csv);
    csv = "";
    // PostgreSQL waits until the socket is read again.
    if (isFull) stream.pause();
  }

  const query: Submittable & Record<string, unknown> = {
    submit(connection: Connection) {
      connection.parse({ name: "", text, types: types.map(String) }, true);
      connection.bind({ portal: "", statement: "", values: [...values] }, true);
      // A maximum number of rows would keep PostgreSQL from parallel execution.
      connection.execute({ portal: "" }, true);
      connection.sync();
    },
    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }) {
      csv += lineOf(fields);
      count += 1;
      if (csv.length >= chunkLength) flush();
    },
    handleCommandComplete({ text: tag }: { readonly text: string }) {
      // EXPLAIN has no number of rows.
      rows.rowCount = Number(/\d+$/.exec(tag)?.[0] ?? count);
      flush();
    },
    handleError(error: Error & { readonly where?: string }) {
      const number = /^unnamed portal parameter \$(\d+)/.exec(error.where ?? "")?.[1];
      if (number !== undefined) error.message = `Value of $${names[Number(number) - 1]}: ${error.message}`;
      rows.destroy(error);
    },
    handleReadyForQuery() {
      if (!rows.destroyed) rows.push(null);
    },
  };
  client.query(query);
  return rows;
}

function lineOf(fields: readonly (string | null)[]): string {
  return `${fields.map(cellOf).join(",")}\n`;
}

/** Writes NULL as nothing, and an empty text as quotes. */
function cellOf(value: string | null): string {
  if (value === null) return "";
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
