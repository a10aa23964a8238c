import { type Mutant, mutant, number, pages, params } from "./mutant.ts";
import type { Exchanged, Json } from "./proxy.ts";

/** Faults of pages, sorting and filters. */
export const pageMutants: readonly Mutant[] = [
  mutant(
    "drops the first row of each page from 2 on",
    "PAGE-006",
    pages(({ result, params }) => {
      if (number(params) > 1) result.rows.shift();
    }),
  ),
  mutant(
    "cuts pages of 500 rows to 100",
    "PAGE-006",
    pages(({ result, params }) => {
      if (params.page?.size === 500) result.rows.splice(100);
    }),
  ),
  mutant("repeats the last row of a page on the next one", "PAGE-006", () => {
    const last = new Map<string, Json>();
    return {
      reply: ({ call, reply }) => {
        const { page: { number = 1, size = 0 } = {}, queryRunId } = call.params[0] ?? {};
        if (call.method !== "getQueryRunResults" || !reply.result || size < 50) return;
        const before = last.get(`${queryRunId} ${size} ${number - 1}`);
        last.set(`${queryRunId} ${size} ${number}`, reply.result.rows.at(-1));
        if (before !== undefined) reply.result.rows = [before, ...reply.result.rows].slice(0, size);
      },
    };
  }),
  mutant(
    "drops the last row of a result",
    "PAGE-006",
    pages(({ result }) => {
      const { currentPageNumber, totalPages, totalRows } = result.page;
      if (currentPageNumber === totalPages && totalRows > 100) result.rows.pop();
    }),
  ),
  mutant(
    "begins pages from 3 on a row late",
    "PAGE-006",
    pages(({ result, params }) => {
      if (number(params) > 2) result.rows = result.rows.slice(1).concat(result.rows.slice(0, 1));
    }),
  ),
  mutant(
    "writes parts of a large page in the wrong order",
    "PAGE-006",
    pages(({ result }) => {
      if (result.rows.length > 256) result.rows.push(...result.rows.splice(0, 256));
    }),
  ),
  mutant(
    "repeats the last page beyond the end",
    "PAGE-003",
    params("getQueryRunResults", ({ page }) => {
      if (page?.number > 5) page.number = 2;
    }),
  ),
  mutant(
    "counts the rows of the page in place of all",
    "PAGE-002",
    pages(({ result }) => {
      result.page.totalRows = result.rows.length;
    }),
  ),
  mutant(
    "counts at most 500 rows",
    "PAGE-006",
    pages(({ result }) => {
      result.page.totalRows = Math.min(result.page.totalRows, 500);
    }),
  ),
  mutant(
    "rounds the number of pages down",
    "PAGE-002",
    pages(({ result, params }) => {
      if (params.page?.size > 0) result.page.totalPages = Math.floor(result.page.totalRows / params.page.size);
    }),
  ),
  mutant(
    "ignores the number of a page of objects",
    "PAGE-006",
    params("getQueryRunResults", ({ format, page }) => {
      if (format === "json" && page) page.number = 1;
    }),
  ),
  mutant(
    "limits a result without a page to 100 rows",
    "PAGE-006",
    pages(({ result, params }) => {
      if (!params.page) result.rows.splice(100);
    }),
  ),
  mutant("sorts each page by itself", "SORT-005", () => {
    const sorts = new Map<Json, Json>();
    return {
      call: (call: Json) => {
        const given = call.params[0];
        if (call.method !== "getQueryRunResults" || !(given?.page?.size > 1) || !given.sortBy) return;
        sorts.set(given, given.sortBy);
        given.sortBy = undefined;
      },
      reply: ({ call, reply }: Exchanged) => {
        const [{ column, direction } = { column: "", direction: "asc" }] = sorts.get(call.params[0]) ?? [];
        const at = reply.result?.columnNames?.indexOf(column) ?? -1;
        if (at < 0) return;
        const value = (row: Json) => (Array.isArray(row) ? row[at] : row[column]);
        const order = (a: Json, b: Json) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
        reply.result.rows.sort((a: Json, b: Json) => (direction === "asc" ? order(a, b) : order(b, a)));
      },
    };
  }),
  mutant(
    "ignores the sort order from page 2 on",
    "SORT-005",
    params("getQueryRunResults", (given) => {
      if (number(given) > 1) given.sortBy = undefined;
    }),
  ),
  mutant(
    "sorts by the first column only",
    "SORT-004",
    params("getQueryRunResults", (given) => {
      given.sortBy = given.sortBy?.slice(0, 1);
    }),
  ),
  mutant(
    "sorts by all columns in the same direction",
    "SORT-004",
    params("getQueryRunResults", ({ sortBy }) => {
      if (Array.isArray(sortBy)) for (const one of sortBy) one.direction = sortBy[0].direction;
    }),
  ),
  mutant("sorts NULL first in descending order", "SORT-006", () => ({
    reply: ({ call, reply }: Exchanged) => {
      const [{ column, direction } = { column: "", direction: "asc" }] = call.params[0]?.sortBy ?? [];
      const at = reply.result?.columnNames?.indexOf(column) ?? -1;
      if (at < 0 || direction !== "desc" || call.params[0].format !== "csv") return;
      const { rows } = reply.result;
      const isNull = (row: Json) => row[at] === null;
      reply.result.rows = [...rows.filter(isNull), ...rows.filter((row: Json) => !isNull(row))];
    },
  })),
  mutant(
    "keeps NULL for neq",
    "FILTER-006",
    params("getQueryRunResults", ({ filters }) => {
      for (const filter of filters ?? [])
        if (filter.neq != null) [filter.notIn, filter.neq] = [[filter.neq], undefined];
    }),
  ),
  mutant(
    "drops NULL for notIn",
    "FILTER-006",
    params("getQueryRunResults", ({ filters }) => {
      for (const { notIn } of filters ?? []) notIn?.push(null);
    }),
  ),
  mutant(
    "ignores filters",
    "FILTER-001",
    params("getQueryRunResults", (given) => {
      given.filters = undefined;
    }),
  ),
  mutant(
    "applies only the first filter",
    "FILTER-004",
    params("getQueryRunResults", (given) => {
      given.filters = given.filters?.slice(0, 1);
    }),
  ),
  mutant(
    "requires all conditions of a group",
    "FILTER-005",
    params("getQueryRunResults", (given) => {
      given.filters = given.filters?.flatMap((filter: { readonly or?: object[] }) => filter.or ?? [filter]);
    }),
  ),
  mutant(
    "counts the rows without filters",
    "FILTER-004",
    pages(({ result, params }) => {
      if (params.filters) result.page.totalRows = result.originalQueryRun.rowCount;
    }),
  ),
];
