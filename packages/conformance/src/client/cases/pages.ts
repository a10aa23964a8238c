import type { AdversaryCase, Fault } from "../case.ts";
import { always, error, html, must, paged, queryCase, rateLimited, result, shortTimeout } from "./requests.ts";

const method = { on: "getQueryRunResults" };
const page = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  queryCase(name, [{ ...method, ...fault }], end, more);
const secondPage = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  queryCase(name, [method, { ...method, ...fault }], end, { ...paged, ...more });
const names = '"columnNames":["n","text"],"columnTypes":["number","string"]';
const total = (rows: string, size: number) => ({
  body: result(`{${names},"rows":${rows},"page":{"currentPageNumber":1,"currentPageSize":${size},"totalRows":5}}`),
  ...always,
});
/** Response with all rows and with these members, which are malformed. */
const all = (members: string) => ({
  body: result(`{"rows":[[1,"plain"],[2,"größer"],[3,"☃"],[4,"😀"],[5,"\\"quoted\\"\\n"]],${members}}`),
  ...always,
});
const malformedPage = (page: string) => all(`${names},"page":{${page}}`);
const tooLarge = (data: string) => ({ body: error(`{"code":-32170,"message":"too large","data":${data}}`) });

/** Queries with several pages, or with a fault in the response to `getQueryRunResults`. */
export const pageCases: readonly AdversaryCase[] = [
  queryCase("several pages", [], "right", paged),
  page("page answered with HTTP 502", { status: 502, body: html }, "right"),
  page("page closed mid-body", { connection: "close-mid-body" }, "right"),
  page("page byte by byte", { connection: "byte-by-byte" }, "right", must),
  secondPage("second page reset mid-body", { connection: "reset-mid-body" }, "right"),
  secondPage("second page answered with HTML", { body: html }, "protocol"),
  secondPage("second page without rows", total("[]", 2), "protocol"),
  page("page answered with null", { body: result("null"), ...always }, "protocol", shortTimeout),
  page("page answered with a string", { body: result('"rows"'), ...always }, "protocol"),
  page("rows as an object", { body: result(`{${names},"rows":{"0":[1,"a"]}}`), ...always }, "protocol"),
  page("rows as numbers", { body: result(`{${names},"rows":[1,2]}`), ...always }, "protocol"),
  page("fewer rows than the page reports", total('[[1,"plain"]]', 10_000), "protocol"),
  page("rows null where the page reports some", total("null", 10_000), "protocol"),
  page("negative page size", malformedPage('"currentPageSize":-3,"totalRows":5'), "right or protocol"),
  page("fractional page size", malformedPage('"currentPageSize":0.5,"totalRows":5'), "right or protocol"),
  page("negative total", malformedPage('"currentPageSize":10000,"totalRows":-1'), "right or protocol"),
  page("total as a string", malformedPage('"currentPageSize":"10000","totalRows":"5"'), "right or protocol"),
  page("totals as objects", malformedPage('"currentPageSize":{},"totalRows":{}'), "right or protocol"),
  page("rows without column names", all('"columnNames":null'), "protocol"),
  page("column names as an object", all('"columnNames":{"n":1}'), "protocol"),
  page("page beyond the rate limit", { body: error(rateLimited) }, "right"),
  page("page too large", tooLarge('{"maxPageSize":2}'), "right"),
  page("page too large without a size", tooLarge("null"), "right"),
  page("page too large with a malformed size", tooLarge('{"maxPageSize":"many"}'), "right"),
  page("every page too large", { ...tooLarge('{"maxPageSize":0}'), ...always }, "rpc -32170"),
  page("run not finished", { body: error('{"code":-32151,"message":"not finished"}') }, "right or rpc -32151"),
  page("result expired", { body: error('{"code":-32172,"message":"expired"}') }, "rpc -32172"),
  page("no response to a page", { connection: "hang", ...always }, "timeout", shortTimeout),
  secondPage("no response to the second page", { connection: "hang", ...always }, "timeout", shortTimeout),
];
