import { expect, it } from "vitest";
import { parsePage } from "../../src/protocol/page.ts";

const parsed = (text: string) => {
  const page = parsePage(Buffer.from(text));
  return page && { ...page, data: page.data && Buffer.from(page.data).toString() };
};

it.each([
  ['{"id":"q","data":[[1.10]]}', "[[1.10]]"],
  ['{"id":"q","data":"null"}', '"null"'],
  ['{"id":"q","data":null}', undefined],
  ['{"id":"q"}', undefined],
  ['{"id":"q","data":true}', "true"],
])("the page %s has the rows %s", (text, data) => expect(parsed(text)).toEqual({ id: "q", data }));

it.each(["", "null", "[]", "{}", '{"id":1}', '{"id":"q"', '{"id":"q","data":[}', "<html>"])(
  "%j is no page of Trino",
  (text) => expect(parsed(text)).toBeUndefined(),
);
