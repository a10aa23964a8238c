import type { HeldData } from "@quern/adapter";
import { expect, it } from "vitest";
import type { SourceCatalog } from "../../src/sources/catalog.ts";

export interface CatalogUnderTest {
  /** A catalog with the source `data`, whose only table is `numbers(n)`. */
  readonly catalog: SourceCatalog;
  /** Replaces the table with one that has this number only. */
  replace(n: number): Promise<void>;
  /** The numbers that a statement reads which holds this data. */
  read(data: HeldData): Promise<readonly number[]>;
}

/** Behaviour of a source catalog that the service relies on. */
export function describeSourceCatalog(create: () => Promise<CatalogUnderTest>): void {
  const sourceOf = (catalog: SourceCatalog) => {
    const source = catalog.named("data");
    if (source === undefined) throw new Error("the source is missing");
    return source;
  };

  it("finds a source by its name and provider, and says which of both is unknown", async () => {
    const { catalog } = await create();
    const source = sourceOf(catalog);
    expect(catalog.find(undefined, undefined)).toEqual({ source });
    expect(catalog.find("data", source.provider)).toEqual({ source });
    expect(catalog.find("nope", undefined)).toEqual({ unknown: "dataSource", name: "nope" });
    expect(catalog.find("data", "nope")).toEqual({ unknown: "dataProvider", name: "nope" });
    expect(catalog.named("nope")).toBeUndefined();
  });

  it("has one revision for the same data, and another for other data", async () => {
    const { catalog, replace } = await create();
    const source = sourceOf(catalog);
    const before = await catalog.kindOf(source).revision(source);
    expect(await catalog.kindOf(source).revision(source)).toBe(before);
    await replace(2);
    const after = await catalog.kindOf(source).revision(source);
    expect(after).not.toBe(before);
    await replace(1);
    expect([before, after]).not.toContain(await catalog.kindOf(source).revision(source));
  });

  it("holds the data as it was, and its revision, while other data comes", async () => {
    const { catalog, replace, read } = await create();
    const source = sourceOf(catalog);
    await replace(1);
    const first = await catalog.kindOf(source).hold(source);
    await replace(2);
    const second = await catalog.kindOf(source).hold(source);
    await replace(3);
    expect(await read(first)).toEqual([1]);
    expect(await read(second)).toEqual([2]);
    expect(first.revision).not.toBe(second.revision);
    await first.release();
    expect(await read(second)).toEqual([2]);
    await second.release();
    const now = await catalog.kindOf(source).hold(source);
    expect(await read(now)).toEqual([3]);
    expect(now.revision).toBe(await catalog.kindOf(source).revision(source));
    await now.release();
  });
}
