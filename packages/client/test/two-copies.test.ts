import { expect, it, vi } from "vitest";
import * as one from "../src/index.ts";

vi.resetModules();
const two = await import("../src/index.ts");

it("recognises an error of another copy, and no other value", () => {
  expect(two.QuernError).not.toBe(one.QuernError);
  const error = new two.QuernError("rpc", "unknown", { code: -32099, method: "getQueryRun" });
  expect([error instanceof one.QuernError, one.isErrorOf(one.getQueryRun, error)]).toEqual([true, true]);
  for (const other of [null, undefined, 1, "QuernError", {}, new Error("QuernError")])
    expect(other instanceof one.QuernError).toBe(false);
});

it("nests fragments of another copy, which are sent without their parts", () => {
  const fragment = two.sql`origin = ${"Japan"}`;
  const whole = one.sql`select * from cars where ${fragment} and cylinders in ${two.list([4, 6])}`;
  expect(JSON.parse(JSON.stringify(whole))).toEqual({
    sql: "select * from cars where origin = $1 and cylinders in ($2, $3)",
    parameters: ["Japan", 4, 6],
  });
  expect(one.sqlText`${fragment} or ${two.identifier("a")}`).toBe(`origin = 'Japan' or "a"`);
});
