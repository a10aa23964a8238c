import { describe, expect, test } from "vitest";
import { MethodError } from "../src/handler.ts";
import { call, createEcho, send } from "./echo.ts";

describe("authentication", () => {
  test.each([
    [call("echo", [{ text: "x" }], 7), 7],
    [[call("echo", [{ text: "x" }], 7)], null],
    ["{", null],
  ])("that fails is the whole reply, with the id of a lone call: %j", async (body, id) => {
    const handler = createEcho();
    const { status, json } = await send(body, handler, new Headers());
    expect({ status, json }).toEqual({
      status: 401,
      json: { jsonrpc: "2.0", id, error: { code: -32163, message: "no key" } },
    });
    expect(handler.echoed).toEqual([]);
  });

  test("may choose status and headers", async () => {
    const authenticate = (): never => {
      throw new MethodError(-32000, "draining", { httpStatus: 503, headers: { "retry-after": "1" } });
    };
    const { status, headers } = await send(call("echo", [], 1), createEcho({ authenticate }));
    expect({ status, headers }).toEqual({
      status: 503,
      headers: { "content-type": "application/json", "retry-after": "1" },
    });
  });

  test("that throws another error is HTTP 500 and hides it", async () => {
    const authenticate = (): never => {
      throw new Error("database password");
    };
    const handler = createEcho({ authenticate });
    const { status, text } = await send(call("echo", [], 1), handler);
    expect(status).toBe(500);
    expect(text).not.toContain("password");
    expect(handler.errors).toHaveLength(1);
  });

  test("runs once for a batch", async () => {
    let times = 0;
    await send([call("echo", [], 1), call("echo", [], 2)], createEcho({ authenticate: () => `${++times}` }));
    expect(times).toBe(1);
  });
});
