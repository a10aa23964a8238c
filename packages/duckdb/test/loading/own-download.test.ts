import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../server/test/fixture.ts";
import { useLoader } from "./loaded-files.ts";

const { loaded } = useLoader();
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function download(sql: string): Promise<Buffer> {
  const { id, errorMessage } = await server.run(sql);
  expect(errorMessage).toBeNull();
  const { url } = await server.call<{ url: string }>("getQueryRunDownload", { queryRunId: id, format: "csv" });
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

const rows = `SELECT * FROM (VALUES
  (chr(65279) || 'a', 1, 9007199254740993, -0.1::DOUBLE, 1.10::DECIMAL(5, 2), DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05.678901', true),
  ('', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (NULL, -1, -9007199254740993, 1e300, -1.00, DATE '0044-03-15 (BC)', TIMESTAMP '9999-01-02 03:04:05', false),
  ('a "b"', 0, 0, '-0.0'::DOUBLE, 0, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59', true),
  ('"', 0, 0, 0.0, 0, DATE 'infinity', TIMESTAMP '1969-12-31 23:59:59', true),
  ('""', 0, 0, 'nan', 0, NULL, NULL, NULL), ('a' || chr(10) || 'b', 0, 0, 'infinity', 0, NULL, NULL, NULL),
  (chr(13) || chr(10), 0, 0, 0, 0, NULL, NULL, NULL), (chr(13), 0, 0, 0, 0, NULL, NULL, NULL), ('a,b;c' || chr(9) || '|', 0, 0, 0, 0, NULL, NULL, NULL),
  (' a ', 0, 0, 0, 0, NULL, NULL, NULL), ('NULL', 0, 0, 0, 0, NULL, NULL, NULL), ('007', 0, 0, 0, 0, NULL, NULL, NULL), ('\\N', 0, 0, 0, 0, NULL, NULL, NULL)
) AS t(s, i, b, d, p, day, ts, f)`;
const types = {
  s: "VARCHAR",
  i: "INTEGER",
  b: "BIGINT",
  d: "DOUBLE",
  p: "DECIMAL(5,2)",
  day: "DATE",
  ts: "TIMESTAMP",
  f: "BOOLEAN",
};

it("a CSV download loads back with the same values in each cell", async () => {
  const { read } = await loaded({ "own.csv": await download(rows) }, { types });
  // As text, so that the signs of zeros count.
  const text = (from: string) => `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${from})`;
  expect(await read(text("FROM t"))).toEqual(await read(text(rows)));
});

it.each([
  ["one column", "SELECT s FROM"],
  ["two columns", "SELECT s, s AS u FROM"],
])("a CSV download of %s of texts loads back as text, with '' and NULL", async (_, select) => {
  const sql = `${select} (${rows})`;
  const { read } = await loaded({ "own.csv": await download(sql) }, { allText: true });
  expect(await read("FROM t")).toEqual(await read(sql));
});
