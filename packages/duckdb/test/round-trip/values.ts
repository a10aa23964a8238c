import type { Random } from "./random.ts";
import { json, text, textLiteral } from "./texts.ts";

/** Type of SQL without members, and a function that returns a random literal of it. */
export interface Leaf {
  readonly sql: string;
  /** Type as which the test reads the engine's own answer, if its package cannot read the type. @default the type itself */
  readonly read?: string;
  literal(random: Random): string;
}

const between = (random: Random, low: bigint, high: bigint): bigint =>
  random.pick([
    low,
    high,
    0n,
    low + 1n,
    high - 1n,
    low < 0n ? -1n : 1n,
    9007199254740991n,
    9007199254740993n,
    -9007199254740993n,
    10n ** 15n,
    low + (random.bits(128) % (high - low + 1n)),
  ]);

function integer(sql: string, low: bigint, high: bigint): Leaf {
  const inRange = (value: bigint): bigint => (value < low || value > high ? high : value);
  return { sql, literal: (random) => `'${inRange(between(random, low, high))}'` };
}

const signed = (sql: string, bits: bigint): Leaf => integer(sql, -(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n);
const unsigned = (sql: string, bits: bigint): Leaf => integer(sql, 0n, 2n ** bits - 1n);
const most38 = 10n ** 38n - 1n;

export function decimal(random: Random): Leaf {
  const width = random.pick([1, 4, 9, 15, 16, 18, 19, 20, 37, 38, 1 + random.below(38)]);
  const scale = random.pick([0, width, random.below(width + 1)]);
  const written = (digits: string, sign: string): string => {
    const padded = digits.padStart(scale + 1, "0");
    return `'${sign}${padded.slice(0, padded.length - scale)}${scale === 0 ? "" : `.${padded.slice(-scale)}`}'`;
  };
  return {
    sql: `DECIMAL(${width},${scale})`,
    literal: (inner) =>
      written(
        inner.pick(["0", "1", "9".repeat(width), `5${"0".repeat(width - 1)}`, inner.digits(1 + inner.below(width))]),
        inner.pick(["", "-"]),
      ),
  };
}

const floats = [
  "-0.0",
  "0.0",
  "nan",
  "inf",
  "-inf",
  "0.1",
  "-0.5",
  "1e-7",
  "1e15",
  "1e16",
  "1e21",
  "16777217",
  "477883.375",
];
const double: Leaf = {
  sql: "DOUBLE",
  literal(random) {
    // A NaN that the engine computes has another bit pattern than the one that it reads from text.
    if (random.chance(0.05)) return "('inf'::DOUBLE - 'inf'::DOUBLE)";
    if (random.chance(0.2)) return random.pick(["'-0.0'", "'0.0'"]);
    if (random.chance(0.6))
      return `'${random.pick([...floats, "5e-324", "1.7976931348623157e308", "9007199254740993", "0.30000000000000004"])}'`;
    const value = new Float64Array(BigUint64Array.of(random.bits(64)).buffer)[0] ?? 0;
    return `'${Number.isFinite(value) ? value : 0}'`;
  },
};
const float: Leaf = {
  sql: "FLOAT",
  literal(random) {
    if (random.chance(0.05)) return "('inf'::FLOAT - 'inf'::FLOAT)";
    if (random.chance(0.2)) return random.pick(["'-0.0'", "'0.0'"]);
    if (random.chance(0.6)) return `'${random.pick([...floats, "1e-45", "3.4028234663852886e38"])}'`;
    const value = new Float32Array(BigUint64Array.of(random.bits(32)).buffer)[0] ?? 0;
    return `'${Number.isFinite(value) ? value : 0}'`;
  },
};

const two = (value: number): string => String(value).padStart(2, "0");
const someDay = (random: Random, years = 9_999): string =>
  `${String(1 + random.below(years)).padStart(4, "0")}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
const someTime = (random: Random): string =>
  random.pick([
    "00:00:00",
    "23:59:59.999999",
    "12:00:00.5",
    "09:30:00.120",
    `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}.${String(random.below(1e6)).padStart(6, "0")}`,
  ]);

const farDays = ["5877642-06-25 (BC)", "5881580-07-10", "12026-01-02", "10000-01-01", "9999-12-31", "0001-01-01"];
const days = [...farDays, "0044-03-15 (BC)", "0001-12-31 (BC)", "1970-01-01", "1969-12-31", "infinity", "-infinity"];
const moments = [
  "290309-12-22 (BC) 00:00:00",
  "294247-01-10 04:00:54.775806",
  "12026-01-02 03:04:05.000001",
  "0044-03-15 (BC) 01:02:03.5",
  "0001-01-01 00:00:00",
  "0001-12-31 (BC) 23:59:59.999999",
  "9999-12-31 23:59:59.999999",
  "1969-12-31 23:59:59.999999",
  "infinity",
  "-infinity",
];
const moment = (random: Random): string =>
  random.chance(0.5) ? random.pick(moments) : `${someDay(random)} ${someTime(random)}`;
const quoted = (write: (random: Random) => string) => (random: Random) => `'${write(random)}'`;

const interval = (random: Random): string => {
  const part = (unit: string, most: number): string =>
    random.chance(0.5) ? `${random.below(2 * most) - most} ${unit}` : "";
  const parts = ["months", "days", "seconds", "microseconds"].map((unit, index) =>
    part(unit, [100, 1_000, 1e7, 1e6][index] ?? 1),
  );
  return parts.filter((each) => each !== "").join(" ") || "0 days";
};

const hex = (random: Random, count: number): string =>
  random
    .bits(count * 4)
    .toString(16)
    .padStart(count, "0");

export const leaves: readonly Leaf[] = [
  { sql: "BOOLEAN", literal: (random) => random.pick(["true", "false"]) },
  signed("TINYINT", 8n),
  signed("SMALLINT", 16n),
  signed("INTEGER", 32n),
  signed("BIGINT", 64n),
  unsigned("UTINYINT", 8n),
  unsigned("USMALLINT", 16n),
  unsigned("UINTEGER", 32n),
  unsigned("UBIGINT", 64n),
  integer("HUGEINT", -most38, most38),
  integer("UHUGEINT", 0n, most38),
  integer("BIGNUM", -most38, most38),
  // Values of more than 38 digits change the form of all such columns of a result.
  signed("HUGEINT", 128n),
  unsigned("UHUGEINT", 128n),
  integer("BIGNUM", -most38 * 100n, most38 * 100n),
  double,
  float,
  double,
  float,
  { sql: "DATE", literal: quoted((random) => (random.chance(0.5) ? random.pick(days) : someDay(random))) },
  { sql: "TIMESTAMP", literal: quoted(moment) },
  // The engine cannot cast the last moments to this type.
  { sql: "TIMESTAMP WITH TIME ZONE", literal: quoted((random) => moment(random).replace(/^294247.*/, "290000-01-01")) },
  {
    sql: "TIMESTAMP_S",
    read: "TIMESTAMP",
    literal: quoted((random) => `${someDay(random)} ${someTime(random).slice(0, 8)}`),
  },
  {
    sql: "TIMESTAMP_MS",
    read: "TIMESTAMP",
    literal: quoted((random) => `${someDay(random)} ${someTime(random).slice(0, 12)}`),
  },
  {
    sql: "TIMESTAMP_NS",
    literal: quoted((random) =>
      random.pick([
        "1677-09-22 00:00:00",
        "2262-04-11 23:47:16.854775806",
        "1969-12-31 23:59:59.999999999",
        `${1700 + random.below(500)}-${two(1 + random.below(12))}-01 ${someTime(random).slice(0, 8)}.${String(random.below(1e9)).padStart(9, "0")}`,
      ]),
    ),
  },
  { sql: "TIME", literal: quoted((random) => (random.chance(0.1) ? "24:00:00" : someTime(random))) },
  {
    sql: "TIME_NS",
    read: "VARCHAR",
    literal: quoted((random) => `${someTime(random).slice(0, 8)}.${String(random.below(1e9)).padStart(9, "0")}`),
  },
  {
    sql: "TIME WITH TIME ZONE",
    read: "VARCHAR",
    literal: quoted(
      (random) => `${someTime(random)}${random.pick(["+00", "+15:59:59", "-15:59:59", "+05:30", "-03"])}`,
    ),
  },
  { sql: "INTERVAL", read: "VARCHAR", literal: (random) => `INTERVAL '${interval(random)}'` },
  ...Array.from({ length: 4 }, (): Leaf => ({ sql: "VARCHAR", literal: (random) => textLiteral(text(random)) })),
  {
    sql: "UUID",
    literal: quoted(
      (random) => `${hex(random, 8)}-${hex(random, 4)}-${hex(random, 4)}-${hex(random, 4)}-${hex(random, 12)}`,
    ),
  },
  { sql: "BLOB", literal: (random) => `unhex('${hex(random, 2 * random.below(12))}')` },
  { sql: "BLOB", literal: (random) => `encode(${textLiteral(text(random))})` },
  { sql: "BIT", read: "VARCHAR", literal: quoted((random) => random.bits(1 + random.below(70)).toString(2)) },
  { sql: "JSON", literal: (random) => textLiteral(json(random)) },
  { sql: "JSON", literal: (random) => textLiteral(json(random)) },
  {
    sql: "GEOMETRY",
    read: "VARCHAR",
    literal: (random) => `'POINT (${random.below(1000) / 8} -${random.below(100)})'`,
  },
];

/** Values of a VARIANT, whose JSON the engine writes. */
export const variants = (random: Random): string =>
  random.pick([
    "1",
    "1.10",
    "'0.5'::DECIMAL(1,1)",
    "'-0.05'::DECIMAL(2,2)",
    "'NULL'",
    textLiteral(text(random)),
    "true",
    "DATE '2026-11-20'",
    "[1.5, NULL]",
    "{'a': '0.5'::DECIMAL(1,1), 'b': [NULL, 'x']}",
    "9007199254740993",
    "'nan'::DOUBLE",
    "'-inf'::DOUBLE",
    "'1e400'",
  ]);
