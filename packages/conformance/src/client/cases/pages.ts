import type { AdversaryCase, Fault } from "../case.ts";
import { beyondRate, brief, error, html, must, never, paged, querying, result } from "./asks.ts";

const method = { on: "getQueryRunResults" };
const page = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  querying(name, [{ ...method, ...fault }], end, more);
const secondPage = (name: string, fault: Fault, end: string, more: Partial<AdversaryCase> = {}) =>
  querying(name, [method, { ...method, ...fault }], end, { ...paged, ...more });
const names = '"columnNames":["n","text"],"columnTypes":["number","string"]';
const total = (rows: string, size: number) => ({
  body: result(`{${names},"rows":${rows},"page":{"currentPageNumber":1,"currentPageSize":${size},"totalRows":5}}`),
  ...never,
});
/** All rows, among members that are not as they should be. */
const all = (members: string) => ({
  body: result(`{"rows":[[1,"plain"],[2,"größer"],[3,"☃"],[4,"😀"],[5,"\\"quoted\\"\\n"]],${members}}`),
  ...never,
});
const odd = (page: string) => all(`${names},"page":{${page}}`);
const tooLarge = (data: string) => ({ body: error(`{"code":-32170,"message":"too large","data":${data}}`) });

/** A query whose rows are fetched. */
export const pageCases: readonly AdversaryCase[] = [
  querying("several pages", [], "right", paged),
  page("a page met by HTTP 502", { status: 502, body: html }, "right"),
  page("a page cut in the middle", { travel: "cut" }, "right"),
  page("a page in chunks of one byte", { travel: "bytes" }, "right", must),
  secondPage("a second page reset", { travel: "reset" }, "right"),
  secondPage("a second page that is HTML", { body: html }, "protocol"),
  secondPage("a second page of no rows", total("[]", 2), "protocol"),
  page("a page answered with null", { body: result("null"), ...never }, "protocol", brief),
  page("a page that is a text", { body: result('"rows"'), ...never }, "protocol"),
  page("rows that are no array", { body: result(`{${names},"rows":{"0":[1,"a"]}}`), ...never }, "protocol"),
  page("rows that are numbers", { body: result(`{${names},"rows":[1,2]}`), ...never }, "protocol"),
  page("fewer rows than the page says", total('[[1,"plain"]]', 10_000), "protocol"),
  page("no rows where the page says some", total("null", 10_000), "protocol"),
  page("a page of less than no rows", odd('"currentPageSize":-3,"totalRows":5'), "right or protocol"),
  page("a page of half a row", odd('"currentPageSize":0.5,"totalRows":5'), "right or protocol"),
  page("a total below zero", odd('"currentPageSize":10000,"totalRows":-1'), "right or protocol"),
  page("a total as text", odd('"currentPageSize":"10000","totalRows":"5"'), "right or protocol"),
  page("totals of objects", odd('"currentPageSize":{},"totalRows":{}'), "right or protocol"),
  page("rows without column names", all('"columnNames":null'), "protocol"),
  page("column names that are no array", all('"columnNames":{"n":1}'), "protocol"),
  page("a page beyond the rate", { body: error(beyondRate) }, "right"),
  page("a page found too large", tooLarge('{"maxPageSize":2}'), "right"),
  page("a page found too large, said without a size", tooLarge("null"), "right"),
  page("a page found too large, said with an odd size", tooLarge('{"maxPageSize":"many"}'), "right"),
  page("every page found too large", { ...tooLarge('{"maxPageSize":0}'), ...never }, "rpc -32170"),
  page("a run that has not ended", { body: error('{"code":-32151,"message":"not finished"}') }, "right or rpc -32151"),
  page("a result that has expired", { body: error('{"code":-32172,"message":"expired"}') }, "rpc -32172"),
  page("silence to a page", { travel: "silence", ...never }, "timeout", brief),
  secondPage("silence to the second page", { travel: "silence", ...never }, "timeout", brief),
];
