import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../../src/engine/quoting.ts";
import type { Random } from "./random.ts";
import { names, text, textLiteral } from "./texts.ts";
import { decimal, type Leaf, leaves, variants } from "./values.ts";

/** Random table, as a statement. */
export interface RandomTable {
  readonly sql: string;
  /** Types as which the test reads the columns of the engine's own answer. */
  readonly read: readonly string[];
  /** SQL of its rows without repetitions, for a FROM clause. */
  readonly rows: string;
}

const ofType = (random: Random, type: Leaf): string =>
  random.chance(0.15) ? `CAST(NULL AS ${type.sql})` : `CAST(${type.literal(random)} AS ${type.sql})`;

/** Types of keys, of which no two values are equal that have different texts. */
const keys = leaves.filter(({ sql }) =>
  /^(INTEGER|BIGINT|VARCHAR|DATE|UUID|BOOLEAN|TIMESTAMP|TIMESTAMP_NS)$/.test(sql),
);

function enumeration(random: Random): Leaf {
  const words = [...new Set(Array.from({ length: 1 + random.below(6) }, () => text(random)))];
  if (words.length > 1 && random.chance(0.5)) words.push(`\uFEFF${words[0]}`);
  const unique = [...new Set(words)];
  return { sql: `ENUM(${unique.map(textLiteral).join(", ")})`, literal: (inner) => textLiteral(inner.pick(unique)) };
}

function list(item: Leaf): Leaf {
  return {
    sql: `${item.sql}[]`,
    read: `${item.read ?? item.sql}[]`,
    literal: (random) => `[${Array.from({ length: random.below(4) }, () => ofType(random, item)).join(", ")}]`,
  };
}

function array(random: Random, item: Leaf): Leaf {
  const length = 1 + random.below(3);
  const items = (inner: Random) => Array.from({ length }, () => ofType(inner, item)).join(", ");
  // Lists of the engine have no length in their type.
  return {
    sql: `${item.sql}[${length}]`,
    read: `${item.read ?? item.sql}[${length}]`,
    literal: (inner) => `array_value(${items(inner)})`,
  };
}

/** Returns names of members that differ in more than their case. */
function memberNames(random: Random, count: number): readonly string[] {
  const found = new Set<string>();
  while (found.size < count) found.add(random.pick(names));
  return [...found];
}

function struct(random: Random, members: readonly Leaf[]): Leaf {
  const own = memberNames(random, members.length).map((name) => quotedName(name));
  const typed = (of: (leaf: Leaf) => string) => members.map((leaf, index) => `${own[index]} ${of(leaf)}`).join(", ");
  return {
    sql: `STRUCT(${typed(({ sql }) => sql)})`,
    read: `STRUCT(${typed(({ sql, read }) => read ?? sql)})`,
    literal: (inner) =>
      `struct_pack(${members.map((leaf, index) => `${own[index]} := ${ofType(inner, leaf)}`).join(", ")})`,
  };
}

function map(key: Leaf, value: Leaf): Leaf {
  return {
    sql: `MAP(${key.sql}, ${value.sql})`,
    read: `MAP(${key.sql}, ${value.read ?? value.sql})`,
    literal(random) {
      const found = [...new Set(Array.from({ length: random.below(4) }, () => key.literal(random)))];
      const typed = found.map((literal) => `CAST(${literal} AS ${key.sql})`);
      return `MAP {${typed.map((each) => `${each}: ${ofType(random, value)}`).join(", ")}}`;
    },
  };
}

const unions: readonly Leaf[] = leaves.filter(({ sql }) => /^(INTEGER|BIGINT|VARCHAR|BOOLEAN|UUID)$/.test(sql));

function union(random: Random): Leaf {
  const members = [random.pick(unions), decimal(random), list(random.pick(unions))];
  const own = memberNames(random, members.length).map((name) => quotedName(name));
  return {
    sql: `UNION(${members.map(({ sql }, index) => `${own[index]} ${sql}`).join(", ")})`,
    literal(inner) {
      const index = inner.below(members.length);
      const member = members[index] as Leaf;
      return `union_value(${own[index]} := CAST(${member.literal(inner)} AS ${member.sql}))`;
    },
  };
}

/** Returns a random type. Types below others have no VARIANT, which the engine's package cannot read. */
function someType(random: Random, depth = 0): Leaf {
  if (depth === 0 && random.chance(0.05)) return { sql: "VARIANT", read: "JSON", literal: variants };
  if (depth > 2 || random.chance(0.65)) {
    if (random.chance(0.15)) return decimal(random);
    return random.chance(0.1) ? enumeration(random) : random.pick(leaves);
  }
  const inner = (): Leaf => someType(random, depth + 1);
  switch (random.below(6)) {
    case 0:
    case 1:
      return list(inner());
    case 2:
      return array(random, inner());
    case 3:
      return struct(random, Array.from({ length: 1 + random.below(3) }, inner));
    case 4:
      return map(random.pick(keys), inner());
    default:
      return union(random);
  }
}

const few = (random: Random): number => 1 + random.below(4);

/** Form of a table. @default a few columns of any types */
export interface TableForm {
  readonly count?: number;
  /** Number of columns of the tables before it in the same result. @default 0 */
  readonly before?: number;
  /** Names of its types. */
  readonly only?: RegExp;
}

/** Returns a table of a few rows, often repeated, so that Parquet stores them in dictionaries and with bloom filters. */
export function randomTable(random: Random, form: TableForm = {}): RandomTable {
  const { count = few(random), before = 0, only } = form;
  const types = Array.from({ length: count }, () =>
    only === undefined ? someType(random) : random.pick(leaves.filter(({ sql }) => only.test(sql))),
  );
  const columns = types.map((_, index) => {
    const name = random.pick(names);
    // Repeated names are tested elsewhere.
    return before + index === 0 ? name : `${name}${before + index}`;
  });
  const pool = Array.from(
    { length: only === undefined ? 1 + random.below(5) : 12 },
    (_, row) => `(${[row, ...types.map((type) => ofType(random, type))].join(", ")})`,
  );
  const repetitions = only === undefined ? random.pick([1, 1, 7, 25]) : 4;
  const own = types.map((_, index) => `v${index}`);
  const selected = own.map((each, index) => `p.${each} AS ${quotedName(columns[index] ?? "")}`);
  const rows = `(VALUES ${pool.join(",\n")}) AS p(n, ${own.join(", ")})`;
  return {
    sql: `SELECT ${selected.join(", ")}\nFROM ${rows}, range(${repetitions}) AS r(k)\nORDER BY r.k, p.n`,
    read: types.map(({ sql, read }) => read ?? sql),
    rows: `(SELECT ${selected.join(", ")} FROM ${rows}) AS t${before}`,
  };
}

/** Stores tables side by side in the engine, which computes their literals once. The shorter ones end with rows of NULLs. */
export async function sideBySide(
  engine: DuckDBConnection,
  tables: readonly RandomTable[],
  random: Random,
): Promise<RandomTable> {
  const rows = tables.map((table) => table.rows).join("\nPOSITIONAL JOIN ");
  await engine.run(`CREATE OR REPLACE TABLE side_by_side AS SELECT *\nFROM ${rows}`);
  return {
    sql: `SELECT s.* FROM side_by_side AS s, range(${random.pick([1, 5])}) AS r(k) ORDER BY r.k, s.rowid`,
    read: tables.flatMap(({ read }) => read),
    rows: "side_by_side",
  };
}
