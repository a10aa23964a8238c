import { readFileSync } from "node:fs";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";

/** A statement with values that formats of files often change. */
export const EXACT_SQL = `select 9007199254740993 + i as n,
  case i % 4 when 0 then null when 1 then '' when 2 then 'a "quoted", text' else 'line' || chr(10) || 'break 😀' end as t,
  (i * 1.0001)::decimal(18, 4) as d, timestamp '2026-02-28 23:59:59.123' + i * interval 1 hour as ts,
  i % 2 = 0 as b, case when i % 3 > 0 then [i, null] end as l
from range(1000) r(i)`;

/** Texts of the values of these columns, that each format must keep. */
const TEXTS = `n::varchar as n, t, (d * 10000)::bigint::varchar as d, epoch_ms(ts)::varchar as ts, b::varchar as b,
  to_json(l)::varchar as l`;
const TYPES = "{n: 'BIGINT', t: 'VARCHAR', d: 'DECIMAL(18,4)', ts: 'TIMESTAMP', b: 'BOOLEAN', l: 'INTEGER[]'}";

/** Returns the statement that gives the texts of the rows of another statement. */
export const textsOf = (sql: string): string => `select ${TEXTS} from (${sql}) order by n`;

/** Reads a downloaded file, and returns the texts of its rows by number. */
export async function downloadedRows(label: string, path: string): Promise<readonly unknown[]> {
  if (label === "Arrow") return arrowRows(path);
  const readers: Readonly<Record<string, string>> = {
    CSV: `read_csv('${path}', header = true, quote = '"', columns = ${TYPES.replace("INTEGER[]", "JSON")}, allow_quoted_nulls = false)`,
    "JSON Lines": `read_json('${path}', format = 'newline_delimited', columns = ${TYPES})`,
    Parquet: `read_parquet('${path}')`,
  };
  const instance = await DuckDBInstance.create();
  const connection: DuckDBConnection = await instance.connect();
  const reader = await connection.runAndReadAll(textsOf(`from ${readers[label]}`));
  connection.closeSync();
  instance.closeSync();
  return reader.getRowsJson();
}

function arrowRows(path: string): readonly unknown[] {
  return tableFromIPC(readFileSync(path))
    .toArray()
    .map(({ n, t, d, ts, b, l }) => [
      String(n),
      t,
      String(
        BigInt.asIntN(
          128,
          [...d].reduceRight((sum: bigint, limb: number) => (sum << 32n) | BigInt(limb), 0n),
        ),
      ),
      String(ts),
      String(b),
      l === null ? null : JSON.stringify([...l], (_, value) => (typeof value === "bigint" ? Number(value) : value)),
    ]);
}
