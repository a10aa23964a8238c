/** Tables of the catalogs `memory` and `tpch`, with the columns regionkey, name and comment. */
const own = ["tpch.tiny.region", '"TPCH" . tiny."region"', "tpch/* a.b.c */.tiny.region"];
/** The same tables in another catalog. */
const others = ["tpch_decimal.tiny.region", '"tpch_decimal"."tiny" .region', "TPCH_DECIMAL.tiny--x\n.region"];

/** Statement that reads tables in many places of Trino's grammar. */
export interface RandomStatement {
  readonly sql: string;
  /** True if a table of another catalog is among them. */
  readonly isForeign: boolean;
}

/** Creates a source of statements. Equal seeds have equal statements. */
export function randomStatements(seed: number): () => RandomStatement {
  let state = seed;
  let isForeign = false;
  let share = 0; // of tables of another catalog

  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T; // no list is empty
  const table = (): string => {
    const other = random() < share;
    isForeign ||= other;
    return pick(other ? others : own);
  };

  const values: readonly ((depth: number) => string)[] = [
    () => "1",
    () => "extract(day FROM DATE '2026-01-02')",
    () => "length(trim(BOTH 'a' FROM 'abc'))",
    () => "x.r.f",
    (depth) => `(${query(depth)})`,
    (depth) => `(SELECT count(*) FROM ${relation(depth)})`,
    (depth) => `extract(day FROM (SELECT max(DATE '2026-01-02') FROM ${relation(depth)}))`,
    (depth) => `length(substring('abc' FROM CAST(${value(depth)} AS integer) FOR 2))`,
    (depth) => `length(trim(LEADING ' ' FROM (SELECT max('a') FROM ${relation(depth)})))`,
    (depth) => `CASE WHEN 1 IS NOT DISTINCT FROM ${value(depth)} THEN ${value(depth)} ELSE 0 END`,
    (depth) => `CAST(ROW(ROW(${value(depth)})) AS ROW(r ROW(f bigint))).r.f`,
    (depth) => `element_at(ARRAY[${value(depth)}, ${value(depth)}], 1)`,
    (depth) => `CAST((SELECT max(1.5)+.5FROM ${relation(depth)}) AS bigint)`,
    (depth) => `if(EXISTS (TABLE ${table()}), 1, ${value(depth)})`,
  ];
  const value = (depth: number): string => pick(depth > 0 ? values : values.slice(0, 3))(depth - 1);
  /** Column with fields, so that names of columns have three parts. */
  const row = "(SELECT CAST(ROW(ROW(1)) AS ROW(r ROW(f bigint))).r AS r) AS x";

  const queries: readonly ((depth: number) => string)[] = [
    (depth) => `SELECT ${noField(value(depth))} AS n`,
    (depth) => `SELECT max(x.r.f) AS n FROM ${row}, ${relation(depth)}`,
    (depth) => `SELECT count(*) FILTER (WHERE ${value(depth)} > 0) AS n FROM ${row}, ${relation(depth)}`,
    (depth) => `SELECT length(listagg('a', ',') WITHIN GROUP (ORDER BY x.r.f)) AS n FROM ${row}, ${relation(depth)}`,
    (depth) =>
      `SELECT max(row_number) AS n FROM (SELECT row_number() OVER (ORDER BY x.r.f) AS row_number FROM ${row}, ${relation(depth)})`,
    (depth) =>
      `SELECT DISTINCT max(x.r.f) AS n FROM ${row} WHERE x.r.f IN (x.r.f, ${value(depth)}) HAVING count(*) > 0`,
    (depth) => `WITH w AS (${query(depth)}) SELECT max(w.n) AS n FROM w, ${relation(depth)}`,
    (depth) => `SELECT max(n) AS n FROM (${query(depth)} UNION ALL (SELECT n FROM (${query(depth)})))`,
    (depth) => `SELECT n FROM (VALUES ${noField(value(depth))}) AS v (n)`,
    () => `SELECT count(*) AS n FROM (TABLE ${table()})`,
  ];
  const query = (depth: number): string => pick(queries)(depth - 1);
  /** Replaces fields of a column that the query does not have. */
  const noField = (text: string): string => text.replaceAll(/(?<![\w).])x\.r\.f/g, "2");

  const relations: readonly ((depth: number) => string)[] = [
    () => table(),
    () => `${table()} AS a, ${table()} AS b (c, d, e)`,
    () => `${table()} TABLESAMPLE BERNOULLI (10), ${table()}`,
    () => `(${table()} CROSS JOIN ${table()})`,
    () => `UNNEST(ARRAY[1]) WITH ORDINALITY, ${table()}`,
    () => `JSON_TABLE('[1]', 'lax $[*]' COLUMNS (j bigint PATH 'lax $')), ${table()}`,
    () => `${table()} AS a JOIN ${table()} AS b ON a.name IS DISTINCT FROM b.name, ${table()}`,
    () => `TABLE(exclude_columns(input => TABLE(${table()}), columns => DESCRIPTOR(comment)))`,
    () => `TABLE(exclude_columns(input => TABLE(SELECT * FROM ${table()}), columns => DESCRIPTOR(comment)))`,
    () =>
      `${table()} MATCH_RECOGNIZE (ORDER BY regionkey MEASURES a.regionkey AS m PATTERN (a b*) DEFINE b AS b.regionkey > 0), ${table()}`,
    (depth) => `(${query(depth)}) AS q, ${table()}`,
    (depth) => `LATERAL (${query(depth)}), ${table()}`,
  ];
  const relation = (depth: number): string => pick(depth > 0 ? relations : relations.slice(0, 10))(depth - 1);

  const statements: readonly (() => string)[] = [
    ...Array(8).fill(() => query(3)),
    () => `(SELECT n FROM (${query(2)})) ORDER BY 1`,
    () => `WITH FUNCTION f(y bigint) RETURNS bigint RETURN y + 1 ${query(2)}`,
    () => `TABLE ${table()}`,
    () => `DESCRIBE ${table()}`,
    () => `SHOW COLUMNS FROM ${table()}`,
    () => `SHOW STATS FOR (SELECT * FROM ${table()})`,
  ];
  return () => {
    isForeign = false;
    share = pick([0, 0.5]);
    const sql = pick(statements)();
    return { sql, isForeign };
  };
}
