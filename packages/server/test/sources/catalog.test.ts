import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SourceConfiguration } from "@quern/adapter";
import { dataDirectorySources } from "@quern/duckdb";
import { expect, it } from "vitest";
import { columnsShown, createSourceCatalog, type SourceCatalog, toSource } from "../../src/sources/catalog.ts";
import { idleKind, temporaryDirectory } from "../fixture.ts";

const kinds = new Map([["duckdb", idleKind]]);
const createCatalog = (...configurations: SourceConfiguration[]) => createSourceCatalog(() => configurations, kinds);

it("uses the source with isDefault as the default, or else the first", () => {
  const a = { name: "a", provider: "p" };
  const b = { name: "b", provider: "q" };
  const found = (catalog: SourceCatalog, ...names: [string?, string?]) => {
    const lookup = catalog.find(names[0], names[1]);
    return "source" in lookup ? lookup.source.name : lookup;
  };
  expect(found(createCatalog(a, b))).toBe("a");
  const catalog = createCatalog(a, { ...b, isDefault: true, oldNames: false });
  expect(found(catalog)).toBe("b");
  expect(found(catalog, undefined, "p")).toBe("a");
  expect(found(catalog, "snowflake-default")).toEqual({ unknown: "dataSource", name: "snowflake-default" });
  expect(found(catalog, "a", "flipside")).toEqual({ unknown: "dataProvider", name: "flipside" });
  expect(() => createCatalog()).toThrow("No data source is configured; add one to the setting sources.");
  expect(() => createCatalog(a, a)).toThrow("same name");
});

it("refuses a source whose kind no adapter serves, and lists the known kinds", () => {
  const source = { name: "a", provider: "p", kind: "duckbd" };
  expect(() => createCatalog(source)).toThrow("Unknown kind of the data source a: duckbd; use one of duckdb.");
});

it("suggests the kind that a misspelt one resembles, and none where none does", () => {
  const known = new Map(["duckdb", "trino"].map((name) => [name, idleKind]));
  const refusalOf = (kind: string) => () => createSourceCatalog(() => [{ name: "a", provider: "p", kind }], known);
  expect(refusalOf("postgres")).toThrow(/trino\.$/);
  expect(refusalOf("Trino")).toThrow("Did you mean trino?");
  expect(refusalOf("trion")).toThrow("a: trion; use one of duckdb, trino. Did you mean trino?");
});

it("resolves a path where the server runs, not where its processes do", () => {
  const catalog = createCatalog({ name: "a", provider: "p", path: "some/data.duckdb" });
  expect(catalog.named("a")?.path).toBe(resolve("some/data.duckdb"));
});

it("finds the sources that lie in a data directory", async () => {
  const dataDir = await temporaryDirectory();
  expect(dataDirectorySources(dataDir)).toEqual([{ name: "none", provider: "quern" }]);
  await mkdir(join(dataDir, "sources"));
  for (const file of ["samples.duckdb", "another.duckdb", "notes.txt"])
    await writeFile(join(dataDir, "sources", file), "");
  expect(dataDirectorySources(dataDir)).toMatchObject([
    { name: "another", isDefault: false },
    { name: "samples", isDefault: true, path: join(dataDir, "sources", "samples.duckdb") },
  ]);
  await rm(dataDir, { recursive: true });
});

it("lists the sources of a provider or of all, the default first, also by its old provider", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, provider: name === "c" ? "q" : "p" }));
  if (!a || !b || !c) throw new Error("no configurations");
  const catalog = createCatalog(a, b, { ...c, isDefault: true });
  const named = (provider?: string) => catalog.all(provider).map(({ name }) => name);
  expect([named(), named("p"), named("q"), named("flipside"), named("none")]).toEqual([
    ["c", "a", "b"],
    ["a", "b"],
    ["c"],
    ["c"],
    [],
  ]);
  expect([catalog.named("b")?.name, catalog.named("none")]).toEqual(["b", undefined]);
  expect(() => createCatalog(a, b, c, b)).toThrow("Two data sources have the same name: b; rename one.");
  const other = createCatalog({ ...a, oldNames: false }, { ...b, oldNames: true });
  expect(other.find("snowflake-default", "flipside")).toMatchObject({ source: { name: "b", lowerCaseColumns: true } });
  expect(other.find(undefined, undefined)).toMatchObject({ source: { name: "a", lowerCaseColumns: false } });
});

it("makes a source of a configuration, whose columns have lower case where it asks for that", () => {
  const rest = { kind: "duckdb", path: null, runAs: "fixed" };
  const least = { name: "a", provider: "p" };
  expect(toSource(least, false)).toEqual({ ...least, ...rest, lowerCaseColumns: false });
  const whole = { ...least, kind: "trino", address: "trino://host", password: { file: "f" }, runAs: "user" } as const;
  const source = toSource(whole, true);
  expect(source).toEqual({ ...whole, path: null, lowerCaseColumns: true });
  const columns = [{ name: "Big", other: 1 }];
  expect(columnsShown(source, columns)).toEqual([{ name: "big", other: 1 }]);
  expect(columnsShown({ ...source, lowerCaseColumns: false }, columns)).toEqual(columns);
});
