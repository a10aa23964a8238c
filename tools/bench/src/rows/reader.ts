/**
 * Readers that `rows` compares. Each process loads only the reader of its first argument, reads a result and prints its
 * measurement.
 */
import { createPost } from "../post.ts";

/** Number of rows in the correct order, and the cost of reading them. */
export interface Reading {
  readonly rows: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Returns the number of rows in the correct order. */
type Read = () => Promise<number>;

const [name = "", url = "", apiKey = "", queryRunId = "", size] = process.argv.slice(2);
const pageSize = Number(size);

const readers: Readonly<Record<string, () => Promise<Read>>> = {
  async quern() {
    const { createClient, resumeQuery, rowsOf } = await import("@quern/client");
    return async () => {
      const result = await resumeQuery(createClient({ url, apiKey }), queryRunId, { pageSize });
      let rows = 0;
      for await (const row of rowsOf(result)) if (row.id === rows) rows += 1;
      return rows;
    };
  },
  /** Pages alone, as of a service without downloads: the copy of the result lacks what a download needs. */
  async pages() {
    const { createClient, resumeQuery, rowsOf } = await import("@quern/client");
    return async () => {
      const result = await resumeQuery(createClient({ url, apiKey }), queryRunId, { pageSize });
      let rows = 0;
      for await (const row of rowsOf({ queryRunId, first: result.first, pages: result.pages }))
        if (row.id === rows) rows += 1;
      return rows;
    };
  },
  async arrow() {
    const { createClient, resumeQuery } = await import("@quern/client");
    const { arrowOf } = await import("@quern/client/arrow");
    return async () => {
      const result = await resumeQuery(createClient({ url, apiKey }), queryRunId, { pageSize });
      let rows = 0;
      for (const id of (await arrowOf(result)).getChild("id") ?? []) if (id === rows) rows += 1;
      return rows;
    };
  },
  async flipside() {
    const { Flipside } = await import("@flipsidecrypto/sdk");
    return async () => {
      const { query } = new Flipside(apiKey, url);
      let rows = 0;
      for (let pageNumber = 1, pages = 1; pageNumber <= pages; pageNumber += 1) {
        const { records, page } = await query.getQueryResults({ queryRunId, pageNumber, pageSize });
        for (const row of records ?? []) if (row.id === rows) rows += 1;
        pages = page?.totalPages ?? 0;
      }
      return rows;
    };
  },
  /** The minimum: `node:http` and `JSON.parse`, one page after another, without objects. */
  async bare() {
    const pageText = createPageText();
    return async () => {
      let rows = 0;
      for (let number = 1, pages = 1; number <= pages; number += 1) {
        const { rows: cells, page } = JSON.parse(await pageText(number)).result;
        for (const [id] of cells) if (id === rows) rows += 1;
        pages = page.totalPages;
      }
      return rows;
    };
  },
  /** The minimum without a service: `JSON.parse` of pages that are in memory. */
  async memory() {
    const pageText = createPageText();
    const texts: string[] = [];
    for (let number = 1, pages = 1; number <= pages; number += 1) {
      const text = await pageText(number);
      texts.push(text);
      if (number === 1) pages = JSON.parse(text).result.page.totalPages;
    }
    return async () => {
      let rows = 0;
      for (const text of texts) for (const [id] of JSON.parse(text).result.rows) if (id === rows) rows += 1;
      return rows;
    };
  },
  /**
   * The minimum that reads row by row, as `rowsOf()` does: awaited objects, with the next page requested in advance.
   */
  async plain() {
    const pageText = createPageText();
    return async () => {
      let rows = 0;
      let ahead = pageText(1);
      for (let number = 1, pages = 1; number <= pages; number += 1) {
        const { rows: cells, columnNames, page } = JSON.parse(await ahead).result;
        pages = page.totalPages;
        if (number < pages) ahead = pageText(number + 1);
        for (const row of cells) {
          const object: Record<string, unknown> = {};
          for (let index = 0; index < columnNames.length; index += 1) object[columnNames[index]] = row[index];
          await null;
          if (object.id === rows) rows += 1;
        }
      }
      return rows;
    };
  },
};

/** Creates a function that reads the answer to the call of one page with `node:http`. */
function createPageText(): (number: number) => Promise<string> {
  const { post } = createPost(url, apiKey);
  return (number) => post("getQueryRunResults", { queryRunId, page: { number, size: pageSize } });
}

const create = readers[name];
if (create === undefined) throw new Error(`unknown reader: ${name}; use one of ${Object.keys(readers).join(", ")}`);
const read = await create();
const start = performance.now();
const rows = await read();
const seconds = (performance.now() - start) / 1_000;
const reading: Reading = { rows, seconds, megabytes: process.resourceUsage().maxRSS / 1024 };
console.log(JSON.stringify(reading));
