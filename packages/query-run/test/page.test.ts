import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageExcess, pageRange, requestedPage } from "../src/page.ts";

describe("a page", () => {
  it("has its rows, and fewer at the end", () => {
    expect(pageRange({ number: 1, size: 10 }, 25)).toMatchObject({ offset: 0, rowCount: 10, page: { totalPages: 3 } });
    expect(pageRange({ number: 3, size: 10 }, 25)).toMatchObject({ offset: 20, rowCount: 5 });
  });

  it("has no rows beyond the end, and returns the requested number and size", () => {
    expect(pageRange({ number: 4, size: 10 }, 25)).toEqual({
      offset: 25,
      rowCount: 0,
      page: { currentPageNumber: 4, currentPageSize: 10, totalRows: 25, totalPages: 3 },
    });
    expect(pageRange({ number: Number.MAX_SAFE_INTEGER, size: Number.MAX_SAFE_INTEGER }, 25).rowCount).toBe(0);
  });

  it("of size 1 has one row, and there are as many as rows", () => {
    expect(pageRange({ number: 25, size: 1 }, 25)).toMatchObject({ offset: 24, rowCount: 1, page: { totalPages: 25 } });
  });

  it("of size 0 gives no rows and 0 pages", () => {
    expect(pageRange({ number: 1, size: 0 }, 25)).toMatchObject({
      rowCount: 0,
      page: { totalRows: 25, totalPages: 0 },
    });
  });

  it("together with the others covers every row once", () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.integer({ min: 1, max: 700 }), (totalRows, size) => {
        const { totalPages } = pageRange({ number: 1, size }, totalRows).page;
        let next = 0;
        for (let number = 1; number <= totalPages; number += 1) {
          const { offset, rowCount } = pageRange({ number, size }, totalRows);
          expect(offset).toBe(next);
          expect(rowCount).toBeGreaterThan(0);
          next += rowCount;
        }
        expect(next).toBe(totalRows);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a requested page", () => {
  it("begins at its offset, whatever its size", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(70), fc.nat(600), (offset, size, totalRows) => {
        const page = requestedPage({ offset, size });
        if ("issue" in page) return expect.unreachable();
        const first = Math.min(offset, totalRows);
        expect(pageRange(page, totalRows)).toMatchObject({
          offset: first,
          rowCount: Math.min(size, totalRows - first),
          page: { currentPageSize: size, totalRows },
        });
      }),
      { numRuns: 50 },
    );
  });

  it("has the number of the page that has its first row", () => {
    expect(requestedPage({ offset: 20, size: 10 })).toMatchObject({ number: 3 });
    expect(requestedPage({ offset: 19, size: 10 })).toMatchObject({ number: 2 });
    expect(requestedPage({ offset: 5, size: 0 })).toMatchObject({ number: 1 });
    expect(requestedPage()).toEqual({ number: 1, size: 1_000 });
  });

  it("cannot have a number and an offset", () => {
    expect(requestedPage({ number: 1, offset: 0 })).toMatchObject({ issue: { pointer: "/page/offset" } });
  });
});

describe("a page that is too large", () => {
  it("suggests a smaller size of at least one row", () => {
    expect(pageExcess(0, { rowCount: 500, excessBytes: 100 }, 50_000)).toEqual({ maxPageSize: 450 });
    expect(pageExcess(7, { rowCount: 1, excessBytes: 40_000 }, 50_000)).toEqual({ maxPageSize: 1 });
  });

  it("reports the row that is too large for any page", () => {
    expect(pageExcess(7, { rowCount: 2, excessBytes: 49_998 }, 50_000)).toEqual({ maxPageSize: 1 });
    expect(pageExcess(7, { rowCount: 2, excessBytes: 49_999 }, 50_000)).toEqual({ rowNumber: 9 });
  });
});
