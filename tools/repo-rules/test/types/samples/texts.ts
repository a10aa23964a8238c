import { type Sample, samplesOf } from "../sample.ts";

/** Texts, bytes, and values that are written as text or JSON. */
export const texts: readonly Sample[] = [
  ...samplesOf(
    ["VARCHAR", "string", "VARCHAR", "Utf8"],
    { sql: "'a, \"b\"'", text: 'a, "b"' },
    { sql: "''", text: "" },
  ),
  ...samplesOf(["ENUM('a', 'b')", "string", "VARCHAR", "Dictionary<Int32, Utf8>"], {
    sql: "'b'::ENUM('a', 'b')",
    text: "b",
  }),
  ...samplesOf(["UUID", "string", "UUID", "Utf8"], {
    sql: "UUID '6f7e657f-077d-45db-a369-b7889c3ffc9b'",
    text: "6f7e657f-077d-45db-a369-b7889c3ffc9b",
  }),
  ...samplesOf(["BLOB", "string", "BLOB", "Binary"], {
    sql: "'\\xFF\\x00a'::BLOB",
    text: "\\xFF\\x00a",
    json: '"/wBh"',
    arrowText: "/wBh",
    csv: "other bytes",
  }),
  ...samplesOf(["BIT", "string", "VARCHAR", "Utf8"], { sql: "'0101'::BIT", text: "0101" }),
  ...samplesOf(
    ["JSON", "object", "JSON", "Utf8"],
    { sql: "'{\"a\":1.10}'::JSON", text: '{"a":1.10}' },
    { sql: "'12345678901234567890'::JSON", text: "12345678901234567890", isQuoted: true },
  ),
  ...samplesOf(["GEOMETRY", "string", "VARCHAR", "Utf8"], { sql: "'POINT (1 2.5)'::GEOMETRY", text: "POINT (1 2.5)" }),
  ...samplesOf(
    ["VARIANT", "object", "JSON", "Utf8"],
    {
      sql: "{'a': 1.10, 'b': [1, NULL]}::VARIANT",
      text: "{'a': 1.10, 'b': [1, NULL]}",
      json: '{"a":1.10,"b":[1,null]}',
      parquetText: '{"a":1.10,"b":[1,null]}',
      arrowText: '{"a":1.10,"b":[1,null]}',
      csv: "refused",
    },
    {
      sql: "DATE '2026-11-20'::VARIANT",
      text: "2026-11-20",
      isQuoted: true,
      parquetText: '"2026-11-20"',
      arrowText: '"2026-11-20"',
      csv: "refused",
    },
  ),
];
