import { type Sample, samplesOf } from "../sample.ts";

/** Booleans and numbers. Each has the same digits in every format. */
export const numbers: readonly Sample[] = [
  ...samplesOf(["BOOLEAN", "boolean", "BOOLEAN", "Bool"], { sql: "true", text: "true" }),
  ...samplesOf(["TINYINT", "number", "TINYINT", "Int8"], { sql: "(-128)::TINYINT", text: "-128" }),
  ...samplesOf(["SMALLINT", "number", "SMALLINT", "Int16"], { sql: "(-32768)::SMALLINT", text: "-32768" }),
  ...samplesOf(["INTEGER", "number", "INTEGER", "Int32"], { sql: "2147483647", text: "2147483647" }),
  ...samplesOf(
    ["BIGINT", "number", "BIGINT", "Int64"],
    { sql: "9007199254740991::BIGINT", text: "9007199254740991" },
    { sql: "9007199254740993::BIGINT", text: "9007199254740993", isQuoted: true },
  ),
  ...samplesOf(["UTINYINT", "number", "UTINYINT", "Uint8"], { sql: "255::UTINYINT", text: "255" }),
  ...samplesOf(["USMALLINT", "number", "USMALLINT", "Uint16"], { sql: "65535::USMALLINT", text: "65535" }),
  ...samplesOf(["UINTEGER", "number", "UINTEGER", "Uint32"], { sql: "4294967295::UINTEGER", text: "4294967295" }),
  ...samplesOf(["UBIGINT", "number", "UBIGINT", "Uint64"], {
    sql: "18446744073709551615::UBIGINT",
    text: "18446744073709551615",
    isQuoted: true,
  }),
  ...samplesOf(
    ["HUGEINT", "number", "DECIMAL(38,0)", "Decimal[38e0]"],
    { sql: "(SELECT sum(n) FROM range(4) AS t(n))", text: "6" },
    {
      sql: "(-99999999999999999999999999999999999999)::HUGEINT",
      text: "-99999999999999999999999999999999999999",
      isQuoted: true,
    },
  ),
  ...samplesOf(["UHUGEINT", "number", "DECIMAL(38,0)", "Decimal[38e0]"], { sql: "7::UHUGEINT", text: "7" }),
  ...samplesOf(["BIGNUM", "number", "DECIMAL(38,0)", "Decimal[38e0]"], { sql: "7::BIGNUM", text: "7" }),
  ...samplesOf(["DECIMAL(5,2)", "number", "DECIMAL(5,2)", "Decimal[5e+2]"], {
    sql: "1.10::DECIMAL(5, 2)",
    text: "1.10",
  }),
  ...samplesOf(["DECIMAL(20,2)", "number", "DECIMAL(20,2)", "Decimal[20e+2]"], {
    sql: "12345678901234567.80::DECIMAL(20, 2)",
    text: "12345678901234567.80",
    isQuoted: true,
  }),
  ...samplesOf(["DECIMAL(38,18)", "number", "DECIMAL(38,18)", "Decimal[38e+18]"], {
    sql: "(-0.000000000000000001)::DECIMAL(38, 18)",
    text: "-0.000000000000000001",
  }),
  ...samplesOf(
    ["FLOAT", "number", "FLOAT", "Float32"],
    { sql: "1::FLOAT", text: "1.0" },
    { sql: "0.1::FLOAT", text: "0.1" },
    { sql: "477883.375::FLOAT", text: "477883.375" },
    { sql: "'-inf'::FLOAT", text: "-inf", json: '"-Infinity"' },
  ),
  ...samplesOf(
    ["DOUBLE", "number", "DOUBLE", "Float64"],
    { sql: "1::DOUBLE", text: "1.0" },
    { sql: "'-0.0'::DOUBLE", text: "-0.0" },
    { sql: "0.1::DOUBLE", text: "0.1" },
    { sql: "0.00001::DOUBLE", text: "1e-05" },
    { sql: "10000000000000000::DOUBLE", text: "1e+16" },
    { sql: "1e300::DOUBLE", text: "1e+300" },
    { sql: "'nan'::DOUBLE", text: "nan", json: '"NaN"' },
    { sql: "'inf'::DOUBLE", text: "inf", json: '"Infinity"' },
  ),
  ...samplesOf(["HUGEINT", "number", "VARCHAR", "Utf8"], {
    sql: "170141183460469231731687303715884105727::HUGEINT",
    text: "170141183460469231731687303715884105727",
    isQuoted: true,
    tooWide: true,
  }),
  ...samplesOf(["UHUGEINT", "number", "VARCHAR", "Utf8"], {
    sql: "340282366920938463463374607431768211455::UHUGEINT",
    text: "340282366920938463463374607431768211455",
    isQuoted: true,
    tooWide: true,
  }),
  ...samplesOf(["BIGNUM", "number", "VARCHAR", "Utf8"], {
    sql: "'1234567890123456789012345678901234567890'::BIGNUM",
    text: "1234567890123456789012345678901234567890",
    isQuoted: true,
    tooWide: true,
  }),
];
