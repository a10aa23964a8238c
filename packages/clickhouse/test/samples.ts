import type { SourceTable } from "@quern/adapter";
import type { Sample, SourceKindContext } from "@quern/adapter/contract";

const sample = (
  sql: string,
  kinds: Readonly<Record<string, Sample["columns"][number]["kind"]>>,
  ...rows: unknown[][]
): Sample => ({
  sql,
  columns: Object.entries(kinds).map(([name, kind]) => ({ name, kind })),
  rows,
});

/** Statements of the contract suite for source kinds, in ClickHouse's dialect. */
export const samples: Pick<SourceKindContext, "samples" | "invalid" | "lateFailure" | "endless" | "manyRows"> = {
  samples: {
    types: sample(
      `SELECT true AS b, 'a/b' AS s, 42 AS n, toDate('2026-01-02') AS d, [1, 2] AS a, CAST((1, 'x'), 'Tuple(id UInt8, name String)') AS o,
        '{"a": {"b": 42, "c": [1, "x", null]}}'::JSON AS j, toFixedString('ab', 4) AS fs, toFloat32(1.5) AS r, toIPv4('10.0.0.1') AS ip,
        toUUID('12151fd2-7586-11e9-8f9e-2a86e4085a59') AS u, inf AS i, -inf AS m, CAST('a', 'Enum8(\\'a\\' = 1, \\'it\\\\\\'s, )\\' = 2)') AS e,
        toLowCardinality('x') AS lc, 42::Variant(UInt64, String) AS v, 'x'::Dynamic AS dy, toIPv6('::1') AS ip6, toTime('01:02:03') AS t`,
      {
        ...{ b: "boolean", s: "string", n: "number", d: "date", a: "array", o: "object", j: "object", fs: "string" },
        ...{ r: "number", ip: "string", u: "string", i: "number", m: "number", e: "string", lc: "string", v: "string" },
        ...{ dy: "string", ip6: "string", t: "string" },
      },
      [
        ...[true, "a/b", 42, "2026-01-02", [1, 2], { id: 1, name: "x" }, { a: { b: 42, c: [1, "x", null] } }],
        ...["ab\0\0", 1.5, "10.0.0.1", "12151fd2-7586-11e9-8f9e-2a86e4085a59", "Infinity", "-Infinity", "a", "x", "42"],
        ...["x", "::1", "01:02:03"],
      ],
    ),
    nulls: sample(
      `SELECT NULL AS a, n, CAST(NULL, 'Nullable(DateTime64(3))') AS t, CAST([NULL], 'Array(Nullable(Decimal(9, 2)))') AS l,
        CAST(NULL, 'LowCardinality(Nullable(String))') AS c FROM VALUES('n Nullable(Int8)', (1), (NULL))`,
      { a: "string", n: "number", t: "date", l: "array", c: "string" },
      [null, 1, null, [null], null],
      [null, null, null, [null], null],
    ),
    bigNumbers: sample(
      `SELECT 18446744073709551615 AS u, toInt64(-9223372036854775808) AS i, toInt128('-170141183460469231731687303715884105728') AS h,
        toUInt128('340282366920938463463374607431768211455') AS uh, toInt256('12345678901234567890123456789012345678901234567890') AS w,
        toDecimal128('12345678901234567890123456789012345678', 0) AS d, toDecimal128('0.1234567890123456789', 19) AS f,
        toDecimal256('1.2', 40) AS dw, [toInt64(9007199254740993)] AS l`,
      {
        ...{ u: "number", i: "number", h: "number", uh: "number", w: "string", d: "number", f: "number" },
        ...{ dw: "string", l: "array" },
      },
      [
        ...["18446744073709551615", "-9223372036854775808", "-170141183460469231731687303715884105728"],
        ...["340282366920938463463374607431768211455", "12345678901234567890123456789012345678901234567890"],
        ...["12345678901234567890123456789012345678", "0.1234567890123456789", "1.2", ["9007199254740993"]],
      ],
    ),
    timestamps: sample(
      `SELECT toDateTime64('2026-01-02 03:04:05.678901', 6, 'America/New_York') AS z, toDateTime('2026-10-25 00:30:00', 'UTC') AS s,
        toDateTime(toDateTime('2026-10-25 00:30:00', 'UTC'), 'Europe/Berlin') AS twice, toDateTime('2026-01-02 03:04:05') AS t,
        toDateTime64('1900-01-01 00:00:00', 3, 'UTC') AS old, toDate32('2299-12-31') AS far,
        toDateTime64('2026-01-02 03:04:05.678901234', 9) AS fine`,
      { z: "date", s: "date", twice: "date", t: "date", old: "date", far: "date", fine: "string" },
      [
        ...["2026-01-02T08:04:05.678901Z", "2026-10-25T00:30:00.000Z", "2026-10-25T00:30:00.000Z"],
        ...["2026-01-02T03:04:05.000Z", "1900-01-01T00:00:00.000Z", "2299-12-31", "2026-01-02T03:04:05.678901234Z"],
      ],
    ),
    nested: sample(
      `SELECT [(1, ['a', NULL])] AS l, map('a', (toInt64(9007199254740993), 'x'), '', (1, '')) AS m, map(1, ['y']) AS k,
        CAST((1, (toDecimal32('1.50', 2), toDateTime64('2026-01-02 03:04:05.678901', 6))), 'Tuple(\`a b\` UInt8, \`A b\` Tuple(d Decimal(3, 2), t DateTime64(6)))') AS r,
        map((1, 2), 1) AS mt, CAST([(1, 'a')], 'Nested(x UInt8, y String)') AS n, (1.5, 2.5)::Point AS p, tuple() AS e`,
      {
        ...{ l: "array", m: "object", k: "object", r: "object", mt: "object", n: "array", p: "object", e: "string" },
      },
      [
        [{ 1: 1, 2: ["a", null] }],
        { a: { 1: "9007199254740993", 2: "x" }, "": { 1: 1, 2: "" } },
        { 1: ["y"] },
        { "a b": 1, "A b_2": { d: 1.5, t: "2026-01-02T03:04:05.678901Z" } },
        { "(1,2)": 1 },
        [{ x: 1, y: "a" }],
        { 1: 1.5, 2: 2.5 },
        "[]",
      ],
    ),
    empty: sample("SELECT 1 AS n, ['x'] AS a WHERE false", { n: "number", a: "array" }),
  },
  invalid: "SELECT nothing FROM nowhere",
  lateFailure: "SELECT throwIf(number = 20000), number FROM numbers(100000)",
  endless: "SELECT sum(number) FROM system.numbers",
  manyRows: (count) => `SELECT number AS n, lower(hex(MD5(toString(number)))) AS s FROM numbers(${count})`,
};

const columns = [
  { name: "id", kind: "number", engineType: "Int64", nullable: false },
  { name: "spot", kind: "object", engineType: "Tuple(x Float64, y Float64)", nullable: false },
  { name: "at", kind: "date", engineType: "Nullable(DateTime64(6))", nullable: true },
] as const;

export const tables: readonly SourceTable[] = [{ catalog: "", schema: "shop", name: "places", columns }];

/** A value of each family of types of ClickHouse 26.9, with its type in a result, and as a result page shows it. */
export const types: Readonly<Record<string, readonly [sql: string, type: string, shown: unknown]>> = {
  AggregateFunction: ["hex(countState())", "String", "01"],
  Array: ["[[1], []]", "Array(Array(UInt8))", [[1], []]],
  BFloat16: ["toBFloat16(1.5)", "BFloat16", 1.5],
  Bool: ["false", "Bool", false],
  Date: ["toDate('2149-06-06')", "Date", "2149-06-06"],
  Date32: ["toDate32('1900-01-01')", "Date32", "1900-01-01"],
  DateTime: ["toDateTime('2106-02-07 06:28:15')", "DateTime", "2106-02-07T06:28:15.000Z"],
  DateTime32: ["CAST('2026-01-02 03:04:05', 'DateTime32')", "DateTime", "2026-01-02T03:04:05.000Z"],
  DateTime64: ["toDateTime64('2299-12-31 23:59:59.999999', 6)", "DateTime64(6)", "2299-12-31T23:59:59.999999Z"],
  Decimal: ["CAST('-0.10', 'Decimal(5, 2)')", "Decimal(5, 2)", -0.1],
  Decimal32: ["toDecimal32('1.5', 4)", "Decimal(9, 4)", 1.5],
  Decimal64: ["toDecimal64('12345678901234.5678', 4)", "Decimal(18, 4)", "12345678901234.5678"],
  Decimal128: ["toDecimal128('-1.5', 20)", "Decimal(38, 20)", -1.5],
  Decimal256: ["toDecimal256('-1.50', 40)", "Decimal(76, 40)", "-1.5"],
  Dynamic: ["[1, 2]::Dynamic", "Dynamic", "[1, 2]"],
  Enum: ["CAST('b', 'Enum(\\'a\\', \\'b\\')')", "Enum8('a' = 1, 'b' = 2)", "b"],
  Enum8: ["CAST(-1, 'Enum8(\\'\\' = -1)')", "Enum8('' = -1)", ""],
  Enum16: ["CAST('é', 'Enum16(\\'é\\' = 1000)')", "Enum16('é' = 1000)", "é"],
  FixedString: ["toFixedString('é', 3)", "FixedString(3)", "é\0"],
  Float32: ["toFloat32(0.1)", "Float32", 0.1],
  Float64: ["nan", "Float64", "NaN"],
  Geometry: ["CAST((1., 2.)::Point, 'Geometry')", "Geometry", "[1,2]"],
  IPv4: ["toIPv4('255.0.0.1')", "IPv4", "255.0.0.1"],
  IPv6: ["toIPv6('::ffff:1.2.3.4')", "IPv6", "::ffff:1.2.3.4"],
  Int8: ["toInt8(-128)", "Int8", -128],
  Int16: ["toInt16(-32768)", "Int16", -32768],
  Int32: ["toInt32(-2147483648)", "Int32", -2147483648],
  Int64: ["toInt64(-9007199254740993)", "Int64", "-9007199254740993"],
  Int128: ["toInt128(-1)", "Int128", -1],
  Int256: ["toInt256(-1)", "Int256", "-1"],
  IntervalNanosecond: ["toIntervalNanosecond(1)", "IntervalNanosecond", "1"],
  IntervalMicrosecond: ["toIntervalMicrosecond(1)", "IntervalMicrosecond", "1"],
  IntervalMillisecond: ["toIntervalMillisecond(1)", "IntervalMillisecond", "1"],
  IntervalSecond: ["toIntervalSecond(-1)", "IntervalSecond", "-1"],
  IntervalMinute: ["toIntervalMinute(1)", "IntervalMinute", "1"],
  IntervalHour: ["toIntervalHour(1)", "IntervalHour", "1"],
  IntervalDay: ["toIntervalDay(1)", "IntervalDay", "1"],
  IntervalWeek: ["toIntervalWeek(1)", "IntervalWeek", "1"],
  IntervalMonth: ["toIntervalMonth(1)", "IntervalMonth", "1"],
  IntervalQuarter: ["toIntervalQuarter(1)", "IntervalQuarter", "1"],
  IntervalYear: ["toIntervalYear(1)", "IntervalYear", "1"],
  JSON: ['\'{"a": [{"b": null}]}\'::JSON', "JSON", { a: [{}] }],
  LineString: ["[(0., 1.)]::LineString", "LineString", [{ 1: 0, 2: 1 }]],
  LowCardinality: ["toLowCardinality('x')", "LowCardinality(String)", "x"],
  Map: ["map(toDate('2026-01-02'), [1])", "Map(Date, Array(UInt8))", { "2026-01-02": [1] }],
  MultiLineString: ["[[(0., 1.)]]::MultiLineString", "MultiLineString", [[{ 1: 0, 2: 1 }]]],
  MultiPoint: ["[(0., 1.)]::MultiPoint", "MultiPoint", [{ 1: 0, 2: 1 }]],
  MultiPolygon: ["[[[(0., 1.)]]]::MultiPolygon", "MultiPolygon", [[[{ 1: 0, 2: 1 }]]]],
  Nested: ["CAST([(1, 'a')], 'Nested(n UInt8, s String)')", "Nested(n UInt8, s String)", [{ n: 1, s: "a" }]],
  Nothing: ["[]", "Array(Nothing)", []],
  Nullable: ["CAST(NULL, 'Nullable(UUID)')", "Nullable(UUID)", null],
  Point: ["(0., -1.)::Point", "Point", { 1: 0, 2: -1 }],
  Polygon: ["[[(0., 1.)]]::Polygon", "Polygon", [[{ 1: 0, 2: 1 }]]],
  QBit: ["[1, 2]::QBit(Float32, 2)", "QBit(Float32, 2)", "[1,2]"],
  Ring: ["[(0., 1.)]::Ring", "Ring", [{ 1: 0, 2: 1 }]],
  SimpleAggregateFunction: [
    "CAST(5, 'SimpleAggregateFunction(max, UInt16)')",
    "SimpleAggregateFunction(max, UInt16)",
    5,
  ],
  String: ["'a\\n\\t\\\\\\0\u2028'", "String", "a\n\t\\\0\u2028"],
  Time: ["toTime('-01:02:03')", "Time", "-01:02:03"],
  Time64: ["toTime64('01:02:03.456', 3)", "Time64(3)", "01:02:03.456"],
  Tuple: ["CAST((1, 'x'), 'Tuple(a UInt8, `b c` String)')", "Tuple(a UInt8, `b c` String)", { a: 1, "b c": "x" }],
  UInt8: ["toUInt8(255)", "UInt8", 255],
  UInt16: ["toUInt16(65535)", "UInt16", 65535],
  UInt32: ["toUInt32(4294967295)", "UInt32", 4294967295],
  UInt64: ["toUInt64(18446744073709551615)", "UInt64", "18446744073709551615"],
  UInt128: ["toUInt128(1)", "UInt128", 1],
  UInt256: ["toUInt256(1)", "UInt256", "1"],
  UUID: ["toUUID('12151fd2-7586-11e9-8f9e-2a86e4085a59')", "UUID", "12151fd2-7586-11e9-8f9e-2a86e4085a59"],
  Variant: ["CAST([1], 'Variant(Array(UInt8), String)')", "Variant(Array(UInt8), String)", "[1]"],
};
