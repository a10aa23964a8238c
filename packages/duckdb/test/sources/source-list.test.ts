import { expect, it } from "vitest";
import { originText, qualifiedName } from "../../src/sources/origin.ts";
import { type FoundSource, toConfigurations } from "../../src/sources/source-list.ts";

const found = (path: string): FoundSource => ({ kind: "duckdb", path });

it("lists sources in the order of their names, with samples as the default", () => {
  const sources = new Map(["b", "samples", "a"].map((name) => [name, found(`/${name}`)]));
  expect(toConfigurations(sources)).toEqual([
    { name: "a", provider: "quern", kind: "duckdb", path: "/a", isDefault: false },
    { name: "b", provider: "quern", kind: "duckdb", path: "/b", isDefault: false },
    { name: "samples", provider: "quern", kind: "duckdb", path: "/samples", isDefault: true },
  ]);
  expect(toConfigurations(new Map())).toEqual([{ name: "none", provider: "quern" }]);
});

it.each([
  [{ kind: "files", path: "/a/*.csv" }, "/a/*.csv"],
  [{ kind: "objects", url: "s3://b/a" }, "s3://b/a"],
  [{ kind: "duckdb", path: "/a.db" }, "/a.db"],
  [{ kind: "duckdb", path: "/a.db", schema: "s", table: "t" }, "/a.db s t"],
  [{ kind: "postgres", url: "postgres://h/d", schema: "public" }, "postgres://h/d public"],
  [{ kind: "postgres", url: "postgres://h/d", schema: "public", table: "t" }, "postgres://h/d public.t"],
] as const)("shows the origin %o as %s", (origin, text) => expect(originText(origin)).toBe(text));

it("joins the names of a load with dots", () => {
  expect(qualifiedName({ catalog: "c", schema: "s", table: "t" })).toBe("c.s.t");
  expect(qualifiedName({ catalog: "c", schema: "s", table: null })).toBe("c.s");
  expect(qualifiedName({ catalog: "c", schema: null, table: null })).toBe("c");
});
