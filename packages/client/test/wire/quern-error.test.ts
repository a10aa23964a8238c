import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient, errorName, type Fetch, getQueryRun, QuernError } from "../../src/index.ts";

const apiKey = "qk_very_secret";

async function errorOf(fetch: Fetch): Promise<QuernError> {
  const client = createClient({ url: "http://host", apiKey, fetch, retries: 0 });
  const error: unknown = await getQueryRun(client, { queryRunId: "r" }).catch((reason) => reason);
  expect(error).toBeInstanceOf(QuernError);
  return error as QuernError; // It was just checked.
}

describe("QuernError", () => {
  it("never contains the key or a header, whatever the transport throws", async () => {
    const errors = [
      await errorOf((_url, init) => {
        throw Object.assign(new TypeError(`invalid header value ${apiKey}`), {
          config: init,
          request: { headers: init.headers },
        });
      }),
      await errorOf((_url, init) => {
        throw new Error("fetch failed", { cause: Object.assign(new Error(`bad ${apiKey}`), { code: "EX", init }) });
      }),
      await errorOf(async () => ({ status: 500, headers: new Headers({ "x-api-key": apiKey }), text: async () => "" })),
    ];
    for (const error of errors) {
      for (const text of [
        inspect(error, { depth: 9, showHidden: true }),
        JSON.stringify(error),
        String(error),
        error.stack,
      ]) {
        expect(text).not.toContain(apiKey);
        expect(text).not.toContain("x-api-key");
      }
    }
    expect(errors[1]).toMatchObject({ kind: "network", cause: { code: "EX", message: "fetch failed: bad …" } });
  });

  it("reports why no response arrived, also from a code alone", async () => {
    const refused = await errorOf(async () => {
      throw Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
    });
    expect(refused.message).toBe("getQueryRun: no answer: ECONNREFUSED");
    const redirected = await errorOf(async () => ({ status: 0, headers: new Headers(), text: async () => "" }));
    expect(redirected.message).toBe("getQueryRun: no answer: a redirect");
  });

  it("has the status and the request id of its response", async () => {
    const answer = (status: number, text: string): Fetch => {
      return async () => ({ status, headers: new Headers({ "x-request-id": `r-${status}` }), text: async () => text });
    };
    const reported = { jsonrpc: "2.0", id: 1, error: { code: -32099, message: "no such run", data: {} } };
    const errors = [
      await errorOf(answer(200, JSON.stringify(reported))),
      await errorOf(answer(401, JSON.stringify({ ...reported, error: { ...reported.error, code: -32163 } }))),
      await errorOf(answer(500, "<html>")),
      await errorOf(answer(202, "<html>")),
    ];
    expect(errors.map(({ kind, status, requestId }) => [kind, status, requestId])).toEqual([
      ["rpc", 200, "r-200"],
      ["rpc", 401, "r-401"],
      ["http", 500, "r-500"],
      ["protocol", 202, "r-202"],
    ]);
    expect(JSON.parse(JSON.stringify(errors[0]))).toMatchObject({ status: 200, requestId: "r-200" });
    const plain = await errorOf(async () => ({ status: 500, headers: new Headers(), text: async () => "" }));
    expect(plain).not.toHaveProperty("requestId");
  });

  it("is serialized with its message", () => {
    const error = new QuernError("failed", "no column x", { queryRunId: "r", errorName: "BinderError" });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "QuernError",
      kind: "failed",
      message: "no column x",
      queryRunId: "r",
      errorName: "BinderError",
    });
  });

  it("does not show the key through its client", () => {
    expect(inspect(createClient({ url: "http://host", apiKey }), { depth: 9, showHidden: true })).not.toContain(apiKey);
  });

  it("has names for codes that no method declares", () => {
    expect(errorName(-32150)).toBe("TemporalError");
    expect(errorName(-1)).toBeUndefined();
  });
});
