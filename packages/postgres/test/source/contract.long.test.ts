import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { afterAll, beforeAll, it } from "vitest";
import { describeOnSource, openParts, type Parts, sourceOf } from "./fixture.ts";

await describeOnSource("a source of PostgreSQL", (postgres) => {
  let parts: Parts;
  let context: SourceKindContext;
  beforeAll(async () => {
    await postgres.run(
      "CREATE TABLE orders (id bigint NOT NULL, price numeric(9,2))",
      "CREATE SCHEMA past",
      "CREATE TABLE past.visits (id int, note text, day date, PRIMARY KEY (day, id)) PARTITION BY RANGE (day)",
      "CREATE TABLE past.visits_of_2026 PARTITION OF past.visits FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')",
      "COMMENT ON TABLE past.visits IS 'One row a visit'",
      "COMMENT ON COLUMN past.visits.note IS 'it''s free text'",
      "INSERT INTO past.visits SELECT n, '', '2026-02-03' FROM generate_series(1, 3000) AS n",
      "ANALYZE past.visits",
      "CREATE VIEW past.customers AS SELECT 'Ada'::text AS name",
    );
    parts = await openParts();
    const { kind, writer, read } = parts;
    context = {
      kind,
      writer,
      read,
      source: sourceOf(postgres),
      restart: postgres,
      samples: {
        types: {
          sql: `SELECT true AS flag, 1 AS n, 'a' AS text, date '2026-11-22' AS day, '\\xFF'::bytea AS bytes,
            '{}'::jsonb AS any_, array[1, 2] AS list`,
          columns: [
            { name: "flag", kind: "boolean" },
            { name: "n", kind: "number" },
            { name: "text", kind: "string" },
            { name: "day", kind: "date" },
            { name: "bytes", kind: "string" },
            { name: "any_", kind: "object" },
            { name: "list", kind: "array" },
          ],
          rows: [[true, 1, "a", "2026-11-22", "/w==", {}, [1, 2]]],
        },
        nulls: {
          sql: "SELECT NULL::bigint AS n, NULL::text[] AS list, NULL AS none, '' AS text",
          columns: [
            { name: "n", kind: "number" },
            { name: "list", kind: "array" },
            { name: "none", kind: "string" },
            { name: "text", kind: "string" },
          ],
          rows: [[null, null, null, ""]],
        },
        bigNumbers: {
          sql: "SELECT 9007199254740993 AS big, 1234567890.0123456789::numeric(38,10) AS price",
          columns: ["big", "price"].map((name) => ({ name, kind: "number" })),
          rows: [["9007199254740993", "1234567890.0123456789"]],
        },
        timestamps: {
          sql: "SELECT timestamp '2026-11-22 12:00:00.123456' AS at, timestamp '0001-01-01 00:00:00.000001' AS old",
          columns: ["at", "old"].map((name) => ({ name, kind: "date" })),
          rows: [["2026-11-22T12:00:00.123456Z", "0001-01-01T00:00:00.000001Z"]],
        },
        nested: {
          sql: `SELECT array[row(9007199254740993, array['a', NULL])] AS orders,
            jsonb_build_object('a', 1.10) AS by_name`,
          columns: [
            { name: "orders", kind: "array" },
            { name: "by_name", kind: "object" },
          ],
          rows: [[[{ f1: "9007199254740993", f2: ["a", null] }], { a: 1.1 }]],
        },
        empty: { sql: "SELECT id FROM orders WHERE false", columns: [{ name: "id", kind: "number" }], rows: [] },
      },
      invalid: "SELECT colour FROM orders",
      lateFailure: "SELECT 1 / (500000 - n) AS q FROM generate_series(1, 1000000) AS n",
      endless: "SELECT count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000000000) b",
      manyRows: (count) => `SELECT md5(n::text) AS text FROM generate_series(1, ${count}) AS n`,
      tables: [
        {
          catalog: "postgres",
          schema: "public",
          name: "orders",
          columns: [
            { name: "id", kind: "number", engineType: "bigint", nullable: false },
            { name: "price", kind: "number", engineType: "numeric(9,2)", nullable: true },
          ],
        },
        {
          catalog: "postgres",
          schema: "past",
          name: "customers",
          columns: [{ name: "name", kind: "string", engineType: "text", nullable: true }],
        },
        {
          catalog: "postgres",
          schema: "past",
          name: "visits",
          comment: "One row a visit",
          columns: [
            { name: "id", kind: "number", engineType: "integer", nullable: false },
            { name: "note", kind: "string", engineType: "text", nullable: true, comment: "it's free text" },
            { name: "day", kind: "date", engineType: "date", nullable: false },
          ],
          primaryKey: ["day", "id"],
          rowEstimate: 3000,
        },
      ],
    };
  });
  afterAll(() => parts.close());

  it.each(sourceKindContract)("$name", ({ run }) => run(context));
});
