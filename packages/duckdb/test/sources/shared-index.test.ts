import type { SourceFile, SourceFiles, SourceIndex } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { readSources, replaceSource } from "../../src/sources/shared-index.ts";
import { parseManifests, type SharedManifest } from "../../src/sources/shared-manifest.ts";

describe("the index of a shared storage", () => {
  const file: SourceFile = { name: "shop/1-0a0a0a0a.duckdb", bytes: 1, checksum: "0" };
  const table = { schema: "main", name: "t", rows: null };
  const catalog = { name: "shop", file, tables: [table] };
  const load = { catalog: "shop", schema: "main", table: "t", origin: { kind: "files", path: "/a" }, loadedAt: "now" };
  const manifest = { version: "1-0a0a0a0a", catalogs: [catalog], loads: [load], runAs: "user" };

  it.each<[string, unknown]>([
    ["no source", {}],
    ["a source", { shop: manifest }],
    [
      "a source with a further file, without the identity of statements",
      {
        "s-1_": {
          ...manifest,
          runAs: undefined,
          catalogs: [catalog, catalog].map((each) => ({
            ...each,
            file: { ...file, name: "s-1_/12-ffffffff.2.duckdb" },
          })),
        },
      },
    ],
    ["the other identity", { shop: { ...manifest, runAs: "fixed", catalogs: [], loads: [] } }],
  ])("has %s", (_, value) => {
    expect(parseManifests(value)).toEqual(new Map(Object.entries(Object(value))));
  });

  const withFile = (change: object) => ({ ...manifest, catalogs: [{ ...catalog, file: { ...file, ...change } }] });
  const withCatalog = (change: object) => ({ ...manifest, catalogs: [{ ...catalog, ...change }] });
  const withLoad = (change: object) => ({ ...manifest, loads: [{ ...load, ...change }] });
  it.each<[string, unknown]>([
    ["a list", []],
    ["null", null],
    ["a text", "x"],
    ["an invalid source beside a valid one", { shop: manifest, other: {} }],
    ["a source that is a list", { shop: [] }],
    ["a name with a path", { "../shop": { ...manifest, catalogs: [] } }],
    ["a name that begins with -", { "-shop": { ...manifest, catalogs: [] } }],
    ["a name with a point at its end", { "shop.": { ...manifest, catalogs: [] } }],
    ["an empty name", { "": { ...manifest, catalogs: [] } }],
    ...[
      { version: 1 },
      { version: "1-0a0a0a0ab" },
      { version: "x1-0a0a0a0a" },
      { version: "1-0A0a0a0a" },
      { runAs: "root" },
      { runAs: null },
      { catalogs: undefined },
      { catalogs: [7] },
      { loads: {} },
      { loads: [[]] },
    ].map((change): [string, unknown] => [JSON.stringify(change), { shop: { ...manifest, ...change } }]),
    ...[
      "shop/x1-0a0a0a0a.duckdb",
      "shop/1-0a0a0a0a.duckdbx",
      "shop/1-0a0a0a0a.x.duckdb",
      "shop/1-0a0a0a0a.2",
      "shop",
    ].map((name): [string, unknown] => [name, { shop: withFile({ name }) }]),
    ["a file below another", { shop: withFile({ name: `${file.name}/x` }) }],
    ["a file of another source", { shop: withFile({ name: "other/1-0a0a0a0a.duckdb" }) }],
    ["a part of a byte", { shop: withFile({ bytes: 1.5 }) }],
    ["no checksum", { shop: withFile({ checksum: 7 }) }],
    ["no file", { shop: withCatalog({ file: null }) }],
    ["a catalog without a name", { shop: withCatalog({ name: 7 }) }],
    ["tables of another form", { shop: withCatalog({ tables: {} }) }],
    ["a table without a name", { shop: withCatalog({ tables: [{ ...table, name: 7 }] }) }],
    ["a table without a schema", { shop: withCatalog({ tables: [table, { ...table, schema: null }] }) }],
    ["a load without a catalog", { shop: withLoad({ catalog: null }) }],
    ["a load without a time", { shop: withLoad({ loadedAt: 7 }) }],
    ["a load without an origin", { shop: withLoad({ origin: "x" }) }],
  ])("is refused with %s", (_, value) => expect(parseManifests(value)).toBeUndefined());

  /** Returns a storage with an index in memory, of which each text is recorded. */
  function storage(text?: string, isReplaced: (attempt: number) => boolean = () => true) {
    let index: SourceIndex | undefined = text === undefined ? undefined : { text, version: "1" };
    const texts: string[] = [];
    const files = {
      address: "s3://b",
      index: async (known?: SourceIndex) => (known?.version === index?.version ? known : index),
      async replaceIndex(before: SourceIndex | undefined, after: string) {
        expect(before).toBe(index);
        texts.push(after);
        if (isReplaced(texts.length)) index = { text: after, version: String(texts.length + 1) };
        return isReplaced(texts.length);
      },
    };
    return { files: files as unknown as SourceFiles, texts };
  }
  const indexOf = (sources: object) => `${JSON.stringify({ format: 1, sources }, null, 2)}\n`;
  const after = manifest as unknown as SharedManifest;

  it("is read again only if it has changed", async () => {
    const { files } = storage(indexOf({ shop: manifest }));
    const first = await readSources(files);
    expect([...first.sources]).toEqual([["shop", manifest]]);
    expect(await readSources(files, first)).toBe(first);
    await replaceSource(files, "shop", "1-0a0a0a0a", undefined);
    const second = await readSources(files, first);
    expect([...second.sources]).toEqual([]);
    expect(await readSources(storage().files)).toEqual({ index: undefined, sources: new Map() });
  });

  it("gets sources in the order of their names, and repeats a change that another one has preceded", async () => {
    const { files, texts } = storage(indexOf({ zoo: manifest }).replaceAll("shop/", "zoo/"), (attempt) => attempt > 1);
    expect(await replaceSource(files, "shop", undefined, after)).toBe(true);
    const zoo = JSON.parse(JSON.stringify(manifest).replaceAll("shop/", "zoo/"));
    expect(texts).toEqual(Array(2).fill(indexOf({ shop: manifest, zoo })));
  });

  it("is not changed if the source is another one, or already the new one", async () => {
    const { files, texts } = storage(indexOf({ shop: manifest }));
    expect(await replaceSource(files, "shop", undefined, { ...after, version: "1-0b0b0b0b" })).toBe(false);
    expect(await replaceSource(files, "shop", "1-0b0b0b0b", undefined)).toBe(false);
    expect(await replaceSource(files, "shop", "0-0b0b0b0b", after)).toBe(true);
    expect(await replaceSource(files, "other", "1-0a0a0a0a", undefined)).toBe(true);
    expect(texts).toEqual([]);
  });

  it.each([
    [
      "{",
      /^Invalid index of data sources in s3:\/\/b: sources\/index\.json is damaged or was not written by Quern; restore it, or /,
    ],
    ['{"format":1}', /^Invalid index of data sources/],
    ['{"format":2,"sources":{}}', /^The data sources in s3:\/\/b have the format of a newer version of Quern; /],
  ])("is refused: %s", async (text, message) => {
    await expect(readSources(storage(text).files)).rejects.toThrow(message);
    await expect(readSources(storage('{"format":1,"sources":{}}').files)).resolves.toMatchObject({
      sources: new Map(),
    });
  });
});
