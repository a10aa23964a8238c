import { expect, it } from "vitest";
import { parseAddress } from "../src/address.ts";
import { statementHeaders, userOf } from "../src/session.ts";
import { sourceAt, statementOn } from "./fixture.ts";

const headersOf = (change: Parameters<typeof statementOn>[2] = {}, path = "") => {
  const source = sourceAt(`trino://reader@trino.example.org${path}`);
  return statementHeaders(parseAddress(source), statementOn(source, "SELECT 1", change));
};

it("has no headers for what a source or a statement lacks", () => {
  expect(headersOf({}, "?spooling=false")).toEqual({
    "content-type": "text/plain; charset=utf-8",
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    "x-trino-time-zone": "UTC",
    "x-trino-client-info": '{"queryRunId":"run_1","tenantId":"tenant","userId":"user@example.org"}',
    "x-trino-client-tags": "",
  });
  expect(headersOf({}, "/hive")["x-trino-catalog"]).toBe("hive");
  expect(headersOf({ traceparent: "odd" })).toMatchObject({ traceparent: "odd", "x-trino-trace-token": "" });
});

it.each([
  [{ a: "1", b: null }, "a=1,b"],
  [{ "a,b": "100%,ü" }, "a%2Cb=100%25%2C%C3%BC"],
  [{ a: "😀 ~\n" }, "a=%F0%9F%98%80 ~%0A"],
])("sends the tags %j as %s", (tags, text) => expect(headersOf({ tags })["x-trino-client-tags"]).toBe(text));

it.each([
  ["ü", "%C3%BC"],
  ["😀 ~", "%F0%9F%98%80 ~"],
])("sends the user id %j as %s", (userId, text) => {
  const info = `{"queryRunId":"run_1","tenantId":"tenant","userId":"${text}"}`;
  expect(headersOf({ userId })["x-trino-client-info"]).toBe(info);
});

it.each(["!", "user@example.org", "~"])("runs as the user %j", (userId) => {
  const source = sourceAt("trino://reader@trino.example.org", { runAs: "user" });
  expect(userOf({ source, userId })).toBe(userId);
  expect(userOf({ source: { ...source, runAs: "fixed" }, userId })).toBeUndefined();
});

it("runs as the user that sessionUser makes of the id, whatever its characters are", () => {
  const source = sourceAt("trino://reader@trino.example.org?sessionUser=acme:{user}", { runAs: "user" });
  expect(userOf({ source, userId: "$&$'" })).toBe("acme:$&$'");
});

it.each(["", "a b", "ü", "a\n", "\u007f"])("refuses the user %j", (userId) => {
  const source = sourceAt("trino://reader@trino.example.org", { runAs: "user" });
  const message = `The user ${JSON.stringify(userId)} cannot query the data source lake: its id must be printable ASCII.`;
  expect(() => userOf({ source, userId })).toThrow(message);
});
