import { EngineLostError, type SourceKind, StatementError } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { openSourceKinds, packageOf } from "../../src/sources/source-kinds.ts";
import { idleKind } from "../fixture.ts";

function opened() {
  const known: string[] = [];
  const kinds = { duckdb: { ...idleKind, close: vi.fn(async () => {}) }, trino: { ...idleKind, close: vi.fn() } };
  const reports = { known: (name: string) => void known.push(name), connectionFailed: () => {}, available: () => {} };
  const { byName, check, close } = openSourceKinds({
    given: { duckdb: idleKind, trino: kinds.trino },
    duckdb: kinds.duckdb,
    adapters: { sqlite: "quern-sqlite-of-nobody" },
    workDirectory: "/nowhere",
    log: { error: () => {} },
    reports,
  });
  return { kinds, known, byName, check, close };
}

const source = { name: "lake", provider: "test", path: null, lowerCaseColumns: false };

it("has the adapter for DuckDB, those of the caller, and those of packages", async () => {
  const { kinds, byName, close } = opened();
  expect([...byName.keys()]).toEqual(["duckdb", "trino", "clickhouse", "postgres", "sqlite"]);
  expect(byName.get("duckdb")).toBe(kinds.duckdb);
  await close();
  expect([kinds.duckdb.close.mock.calls.length, kinds.trino.close.mock.calls.length]).toEqual([1, 1]);
});

it("checks the addresses of sources, reports those of other engines, and loads their packages", async () => {
  const { known, check } = opened();
  await check([
    { ...source, name: "here", kind: "duckdb" },
    { ...source, kind: "trino" },
  ]);
  expect(known.splice(0)).toEqual(["lake"]);
  await expect(check([{ ...source, kind: "sqlite" }])).rejects.toThrow(
    "Missing package of the source kind sqlite: quern-sqlite-of-nobody;",
  );
  expect(known.splice(0)).toEqual(["lake"]);
  await expect(check([{ ...source, kind: "trino", address: "trino://me:word@host" }])).rejects.toThrow(
    "Invalid address of the data source lake: the address contains a password",
  );
  expect(known).toEqual([]);
});

it("refuses a source whose role has too many rights, and not one whose engine is away or whose users have roles", async () => {
  const { kinds, check } = opened();
  const checkRole = vi.fn<NonNullable<SourceKind["checkRole"]>>();
  Object.assign(kinds.trino, { checkRole });
  const data = { category: "DATA_SOURCE", retryable: false } as const;
  const denied = new StatementError({ name: "AccessDenied", message: "The role can write.", data });
  checkRole.mockRejectedValueOnce(denied);
  await expect(check([{ ...source, kind: "trino" }])).rejects.toThrow(/^The role can write$/);
  checkRole.mockRejectedValueOnce(new EngineLostError("away"));
  await check([{ ...source, kind: "trino", runAs: "fixed" }]);
  await check([{ ...source, kind: "trino", runAs: "user" }]);
  expect(checkRole).toHaveBeenCalledTimes(2);
});

it.each([
  ["trino", "@quern/trino"],
  ["postgres", "@quern/postgres"],
  ["clickhouse", "@quern/clickhouse"],
  ["sqlite", "quern-sqlite"],
])("finds the package of the kind %s", (kind, name) => {
  expect(packageOf(kind, { sqlite: "quern-sqlite" })).toBe(name);
});

it("lets the setting replace a package of Quern, and suggests the kind that a misspelt one resembles", () => {
  expect(packageOf("trino", { trino: "other" })).toBe("other");
  expect(() => packageOf("trini")).toThrow(
    /^Unknown kind of data sources: trini; name its package in the setting adapters. Did you mean trino\?$/,
  );
  expect(() => packageOf("toString")).toThrow(/in the setting adapters\.$/);
});
