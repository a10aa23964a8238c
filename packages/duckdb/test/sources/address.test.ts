import { rm } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource } from "../../src/loading.ts";
import { startRefusingPostgres } from "./refusing-postgres.ts";

it.each([
  ["postgres://me:hidden@localhost/db", "it has a password, which is not stored; remove it and set PGPASSWORD"],
  ["Postgres://me:hidden@localhost/db", "it has a password, which is not stored; remove it and set PGPASSWORD"],
  ["postgres:/me:hidden@localhost/db", "Invalid URL of a PostgreSQL database; write it as postgres://user@host"],
  ["postgres://me:hidden@local host/db", "Invalid URL of a PostgreSQL database; write it as postgres://user@host"],
  ["mysql://me:hidden@localhost/db", "Unknown kind of address: mysql://…; expected a path, s3:// or postgres://"],
  ["mysql:/me:hidden@localhost/a.duckdb", "Unknown kind of address: mysql://…"],
  ["postgre://me:hidden@localhost/db", "did you mean postgres://?"],
])("refuses the address %s in one line without the password", async (from, message) => {
  const error: unknown = await addToSource({ dataDir: "/nowhere", source: "shop" }, { from }).catch(
    (thrown: unknown) => thrown,
  );
  expect(String(error)).toContain(message);
  expect(String(error)).not.toMatch(/hidden|\n/);
});

it.each([
  ["", /^SourceError: PostgreSQL at 127\.0\.0\.1:\d+ asks for a password; set PGPASSWORD$/],
  ["?sslmode=verify-full", /^SourceError: PostgreSQL at 127\.0\.0\.1:\d+ does not support TLS; change sslmode in /],
])("says what to do about a database %s that refuses the connection", async (parameters, message) => {
  const dataDir = await temporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const from = `${await startRefusingPostgres("scram")}${parameters}`;
  const error: unknown = await addToSource({ dataDir, source: "shop" }, { from }).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(message);
});
