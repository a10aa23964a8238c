import { expect, it } from "vitest";
import { parseQueryId, queryIdText } from "../../src/source/query-id.ts";

it.each([
  [{ pid: 7, started: "1700000000000001", userId: null }, "7/1700000000000001"],
  [{ pid: 7, started: "1", userId: "a/b@c" }, "7/1/a%2Fb%40c"],
])("%o is the id %s", (id, text) => {
  expect(queryIdText(id)).toBe(text);
  expect(parseQueryId(text)).toEqual(id);
});

it("accepts as many digits as process ids and times have", () => {
  expect(parseQueryId(`${"1".repeat(10)}/${"2".repeat(20)}`)).toEqual({
    pid: 1_111_111_111,
    started: "2".repeat(20),
    userId: null,
  });
});

it.each([
  "",
  "7",
  "7/",
  "/1",
  "7/1/",
  "7/1/a/b",
  " 7/1",
  "7/1 ",
  "x7/1",
  "-7/1",
  `${"1".repeat(11)}/1`,
  `1/${"1".repeat(21)}`,
])("%j is no id", (text) => expect(parseQueryId(text)).toBeUndefined());
