import { EngineLostError, type Source, StatementError } from "@quern/adapter";
import pg from "pg";
import { expect, it } from "vitest";
import { connectionError } from "../../src/source/connection-failure.ts";
import { sourceError } from "../../src/source/failure.ts";
import { numbered } from "../../src/source/parameters.ts";
import { parseAddress } from "../../src/store/address.ts";
import { admit } from "./admit-at-once.ts";

function databaseError(code: string | undefined, members: object = {}): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError("m", 1, "error"), { code, ...members });
}

it.each([
  ["22000", "DataError", "USER"],
  ["22012", "DivisionByZero", "USER"],
  ["2201B", "InvalidRegularExpression", "USER"],
  ["23505", "IntegrityError", "USER"],
  ["25006", "StatementNotAllowed", "USER"],
  ["42601", "SyntaxError", "USER"],
  ["42501", "InsufficientPrivilege", "USER"],
  ["42703", "UndefinedColumn", "USER"],
  ["42804", "DatatypeMismatch", "USER"],
  ["42883", "UndefinedFunction", "USER"],
  ["42P01", "UndefinedTable", "USER"],
  ["0A000", "FeatureNotSupported", "USER"],
  ["3F000", "UndefinedSchema", "USER"],
  ["20000", "PostgresError", "USER"],
  ["21000", "PostgresError", "USER"],
  ["10608", "PostgresError", "USER"],
  ["2BP01", "PostgresError", "USER"],
  ["P0001", "PostgresError", "USER"],
  ["40001", "PostgresError", "RESOURCE"],
  ["53100", "InsufficientResources", "RESOURCE"],
  ["54001", "LimitExceeded", "RESOURCE"],
  ["55P03", "LockNotAvailable", "RESOURCE"],
  ["57014", "QueryCanceled", "RESOURCE"],
  ["08001", "PostgresError", "DATA_SOURCE"],
  ["28P01", "AccessDenied", "DATA_SOURCE"],
  ["3D000", "UndefinedDatabase", "DATA_SOURCE"],
  ["XX000", "PostgresError", "DATA_SOURCE"],
])("names the SQLSTATE %s %s (%s)", (code, name, category) => {
  expect(sourceError(databaseError(code))).toMatchObject({
    failure: {
      name,
      message: `m (SQLSTATE ${code})`,
      data: { category, engine: "postgres", retryable: category === "RESOURCE" },
    },
  });
});

it("reports a position in UTF-16 code units of the caller's text", () => {
  const sql = "select '😀', $name, nope";
  const parsed = numbered(admit(sql), null);
  const position = String([...parsed.text.slice(0, parsed.text.indexOf("nope"))].length + 1);
  const positionOf = (error: unknown): unknown => error instanceof StatementError && error.failure.data.position;
  expect(positionOf(sourceError(databaseError("42703", { position }), parsed))).toBe(sql.indexOf("nope"));
  expect(positionOf(sourceError(databaseError("42703", { position: "1" }), parsed))).toBe(0);
  expect(sourceError(databaseError("42703", { position }))).toMatchObject({
    failure: { data: { category: "USER", engine: "postgres", retryable: false } },
  });
  expect(positionOf(sourceError(databaseError("42703", { position })))).toBeUndefined();
});

it("keeps known errors and those of the program, and reports a lost connection", () => {
  const known = new EngineLostError("x");
  expect(sourceError(known)).toBe(known);
  const failure = new StatementError({ name: "x", message: "y", data: { category: "USER" } });
  expect(sourceError(failure)).toBe(failure);
  const other = new TypeError("z");
  expect(sourceError(other)).toBe(other);
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  expect(sourceError(refused)).toMatchObject({
    name: "EngineLostError",
    message: "the connection to PostgreSQL failed: refused",
    cause: refused,
  });
  const both = new AggregateError([refused, Object.assign(new Error("later"), { code: "ECONNREFUSED" })]);
  expect(sourceError(both)).toMatchObject({ message: "the connection to PostgreSQL failed: refused" });
});

const source: Source = { name: "shop", provider: "p", kind: "postgres", path: null, lowerCaseColumns: false };
const address = parseAddress("postgres://reader@db/shop");
const coded = (code: string, message = "x"): Error => Object.assign(new Error(message), { code });

it.each([
  [coded("28000"), "it refuses the user (28000); check the user, and pg_hba.conf of the server"],
  [coded("28P01"), "it refuses the user or the password (28P01); check the user, and the password of "],
  [coded("3D000"), "the database does not exist (3D000); check the address"],
  [coded("42501"), "the user may not use the database (42501); grant CONNECT on it"],
  [
    new Error("SASL: client password must be a string"),
    "it asks for a password; give its file or variable as the password of the source",
  ],
  [new Error("SASL: odd"), "it does not authenticate by SCRAM as expected; check the address"],
  [new Error("The server does not support SSL connections"), "it does not support TLS; change sslmode in the address"],
  [coded("CERT_HAS_EXPIRED"), "its certificate is refused (CERT_HAS_EXPIRED); name the file of its authority"],
  [coded("ERR_TLS_CERT"), "its certificate is refused (ERR_TLS_CERT); "],
  [coded("ERR_SSL_WRONG"), "its certificate is refused (ERR_SSL_WRONG); "],
])("says why a connection is refused: %o", (error, reason) => {
  const converted = connectionError(error, source, address);
  expect(converted).toBeInstanceOf(EngineLostError);
  const start = `PostgreSQL at db:5432/shop: ${reason}`;
  expect((converted as Error).message.slice(0, start.length)).toBe(start);
  expect((converted as Error).cause).toBe(error);
});

it.each([
  [coded("28000"), "AccessDenied"],
  [coded("28P01"), "AccessDenied"],
  [coded("42501"), "AccessDenied"],
  [new Error("SASL: odd"), "AccessDenied"],
  [coded("3D000"), undefined],
])("denies access to one user only, if each user has a role: %o", (error, name) => {
  const converted = connectionError(error, { ...source, runAs: "user" }, address);
  expect(converted instanceof StatementError ? converted.failure.name : undefined).toBe(name);
});

it("keeps other errors, and reports an outage as a lost connection", () => {
  const odd = coded("ODD");
  expect(connectionError(odd, source, address)).toBe(odd);
  const plain = new Error("odd");
  expect(connectionError(plain, source, address)).toBe(plain);
  expect(connectionError("odd", source, address)).toBe("odd");
  for (const outage of [coded("ECONNREFUSED", "no"), databaseError("08P01", { message: "no" })])
    expect(connectionError(outage, source, address)).toMatchObject({
      name: "EngineLostError",
      message: "the connection to PostgreSQL failed: no",
    });
});
