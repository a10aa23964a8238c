import { http as http3 } from "msw";
import { setupServer as setupServer3 } from "msw/node";
import { http as http2 } from "msw-2";
import { setupServer as setupServer2 } from "msw-2/node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createMockServer } from "../src/index.ts";
import { mswHandlers } from "../src/msw.ts";
import { callerOf } from "./caller.ts";

const url = "https://warehouse.example/v1.0";
const mock = createMockServer();
const elsewhere = () => new Response(null, { status: 418 });

describe("an endpoint", () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ["", "https://app.example/json-rpc"],
    ["/api/", "https://app.example/api/json-rpc"],
    ["HTTPS://Warehouse.Example:443/v1.0", "https://warehouse.example/v1.0/json-rpc"],
  ])("that a page calls %j is %s", (base, endpoint) => {
    vi.stubGlobal("location", new URL("https://app.example/dashboard"));
    const [path] = mswHandlers({ all: (matched) => matched }, mock, base);
    expect(endpoint).toMatch(path ?? "no handler");
  });

  it("outside of a page needs a host", () => {
    expect(() => mswHandlers(http3, mock, "/api")).toThrow(TypeError);
  });
});

describe.each([
  ["2", setupServer2(...mswHandlers(http2, mock, url), http2.all("*", elsewhere))],
  ["3", setupServer3(...mswHandlers(http3, mock, `${url}/`), http3.all("*", elsewhere))],
])("msw %s", (_, msw) => {
  beforeAll(() => {
    msw.listen();
  });
  afterAll(() => {
    msw.close();
  });

  const callerAt = (base: string, apiKey: string) => callerOf({ fetch: globalThis.fetch, url: base, apiKey });

  it("answers in place of a service, by the namespace of each key", async () => {
    const namespace = mock.namespace();
    namespace.when("select").rows([{ n: 1 }]);
    for (const base of [url, `${url}/`]) {
      const { call, create, poll } = callerAt(base, namespace.apiKey);
      const queryRunId = await create("select");
      expect(await poll(queryRunId)).toBe("SUCCESS");
      expect((await call("getQueryRunResults", { queryRunId })).rows).toEqual([[1]]);
    }
    expect((await callerAt(url, "unknown").send("listQueryRuns", {})).status).toBe(401);
    expect((await callerAt(url, mock.apiKey).send("listQueryRuns", {}, { method: "PUT" })).status).toBe(405);
    expect((await fetch(`${url}/json-rpc`)).status).toBe(405);
  });

  it("ends connections by a fault", async () => {
    const namespace = mock.namespace();
    namespace.fault("listQueryRuns", { connection: "reset" });
    namespace.fault("listQueryRuns", { on: 2, connection: "close-mid-body" });
    const { call } = callerAt(url, namespace.apiKey);
    await expect(call("listQueryRuns", {})).rejects.toThrow(TypeError);
    await expect(call("listQueryRuns", {})).rejects.toThrow();
    expect(await call("listQueryRuns", {})).toMatchObject({ queryRuns: [] });
  });

  it("does not intercept other addresses", async () => {
    for (const other of ["https://warehousexexample/v1.0", "https://warehouse.example/v1x0", `${url}/old`])
      expect((await callerAt(other, mock.apiKey).send("listQueryRuns", {})).status).toBe(418);
  });
});
