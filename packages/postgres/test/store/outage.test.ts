import { expect, it } from "vitest";
import { isConcurrencyFailure, isConnectionFailure, isOutage } from "../../src/store/outage.ts";

it.each([
  ["a refused connection", "ECONNREFUSED"],
  ["a shutdown", "57P01"],
  ["a start", "57P03"],
  ["a call that took too long", "57014"],
  ["too many connections", "53300"],
  ["a full disk", "53100"],
  ["a standby after a failover", "25006"],
  ["a hanging transaction", "25P03"],
  ["a lost connection", "08006"],
])("takes %s for an outage", (_, code) => {
  expect(isOutage(Object.assign(new Error("x"), { code }))).toBe(true);
});

it.each([
  ["a duplicate", "23505"],
  ["invalid SQL", "42601"],
  ["a wrong password", "28P01"],
])("takes %s for an error of the program", (_, code) => {
  expect(isOutage(Object.assign(new Error("x"), { code }))).toBe(false);
});

it("knows the errors of the client library, which have no code, and those of several addresses", () => {
  for (const message of ["Connection terminated unexpectedly", "Query read timeout", "timeout expired"])
    expect(isOutage(new Error(message))).toBe(true);
  const refused = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
  expect(isOutage(new AggregateError([refused, refused]))).toBe(true);
  expect(isOutage(new AggregateError([refused, new Error("y")]))).toBe(false);
  expect(isOutage(new Error("run run_1 has no statement"))).toBe(false);
});

it.each([
  ["a refused connection", "ECONNREFUSED", true],
  ["a lost connection", "08006", true],
  ["a shutdown", "57P01", true],
  ["a crash", "57P02", true],
  ["a start", "57P03", true],
  ["a call that took too long", "57014", false],
  ["a lock that was not free", "55P03", false],
  ["a deadlock", "40P01", false],
  ["a serialization failure", "40001", false],
  ["too many connections, of which other servers have some", "53300", false],
  ["a full disk", "53100", false],
])("tells whether %s is a failure of the connection", (_, code, expected) => {
  expect(isConnectionFailure(Object.assign(new Error("x"), { code }))).toBe(expected);
});

it("takes a connection that PostgreSQL does not answer for a failure of the connection", () => {
  for (const message of ["Connection terminated unexpectedly", "Query read timeout", "timeout expired"])
    expect(isConnectionFailure(new Error(message))).toBe(true);
  expect(isConnectionFailure(new Error("run run_1 has no statement"))).toBe(false);
});

it.each([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "08",
  "08003",
])("takes %s for an outage of the connection", (code) => {
  const error = Object.assign(new Error("x"), { code });
  expect([isOutage(error), isConnectionFailure(error)]).toEqual([true, true]);
});

it.each(["58030", "25006", "25P03", "40001", "40P01", "55P03"])("takes %s for an outage of the server", (code) => {
  const error = Object.assign(new Error("x"), { code });
  expect([isOutage(error), isConnectionFailure(error)]).toEqual([true, false]);
});

it.each([
  ["Connection terminated", true],
  ["Client was closed and is not queryable", true],
  ["Client has encountered a connection error and is not queryable", true],
  ["Client has already been connected", true],
  ["Query read timeout", true],
  ["timeout expired", true],
  ["timeout exceeded when trying to connect", true],
  ["The Connection terminated", false],
  ["timeout", false],
])("takes the message %j of the client library for an outage: %s", (message, expected) => {
  expect([isOutage(new Error(message)), isConnectionFailure(new Error(message))]).toEqual([expected, expected]);
});

it("takes no other value for an outage", () => {
  expect(["ECONNREFUSED", undefined, { code: "08006" }].map(isOutage)).toEqual([false, false, false]);
  expect(["ECONNREFUSED", undefined, { code: "08006" }].map(isConnectionFailure)).toEqual([false, false, false]);
  // A code that is not a text is none of the database.
  expect(isOutage(Object.assign(new Error("timeout expired"), { code: 8 }))).toBe(true);
});

it("takes several failed addresses for a failure of the connection if each is one", () => {
  const [refused, full] = ["ECONNREFUSED", "53300"].map((code) => Object.assign(new Error("x"), { code }));
  expect(isConnectionFailure(new AggregateError([refused, refused]))).toBe(true);
  expect(isConnectionFailure(new AggregateError([refused, full]))).toBe(false);
});

it("knows the transactions that can be retried", () => {
  const codes = ["40001", "40P01", "40002", "55P03"];
  expect(codes.map((code) => isConcurrencyFailure(Object.assign(new Error("x"), { code })))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isConcurrencyFailure({ code: "40001" })).toBe(false);
});
