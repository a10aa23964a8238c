import { describe, expect, test, vi } from "vitest";
import { MethodError, preencoded } from "../src/handler.ts";
import { bytes, call, createEcho, idle, send } from "./echo.ts";

describe("one call", () => {
  test("is answered with its result and id", async () => {
    const { status, headers, json } = await send(call("echo", [{ text: "hi" }], 1));
    expect({ status, headers, json }).toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      json: { jsonrpc: "2.0", id: 1, result: "hi" },
    });
  });

  test.each(["0", "-7", '""', '"é😀"', "null", "9007199254740993", "-123456789012345678901234567890", "1.5", "1e400"])(
    "keeps the id %s as it was written",
    async (id) => {
      const { text } = await send(`{"jsonrpc":"2.0","method":"echo","params":[{"text":"x"}],"id":${id}}`);
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"x"}`);
    },
  );

  test.each([true, {}, []])("with the id %j is an invalid request", async (id) => {
    const { json } = await send(call("echo", [{ text: "x" }], id));
    expect(json).toMatchObject({ id: null, error: { code: -32600, data: { issues: [{ pointer: "/id" }] } } });
  });

  test.each(["__proto__", "constructor", "toString", "rpc.nothing", "", "ECHO"])(
    "of %j finds no method",
    async (method) => {
      const { json } = await send(call(method, [{ text: "x" }], 1));
      expect(json).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  test.each([
    [undefined, "/params"],
    [{ text: "x" }, "/params"],
    [[], "/params/0"],
    [[{ text: "x" }, 1], "/params/1"],
    [[{ text: 1 }], "/params/0"],
  ])("with the params %j returns the position of the issue", async (params, pointer) => {
    const { json } = await send(call("echo", params, 1));
    expect(json).toMatchObject({ id: 1, error: { code: -32602, data: { issues: [{ pointer }] } } });
  });

  test.each([null, "x", 1, true])("with the params %j is an invalid request, and keeps its id", async (params) => {
    const { json } = await send(call("echo", params, "a"));
    expect(json).toMatchObject({ id: "a", error: { code: -32600, data: { issues: [{ pointer: "/params" }] } } });
  });

  test("that throws a method error returns its code, message and data", async () => {
    const { json } = await send(call("fail", [{ text: "lost" }], 1));
    expect(json.error).toEqual({ code: -32099, message: "lost", data: { text: "lost" } });
  });

  test("that throws a method error with an HTTP status and headers has them, except in a batch or a notification", async () => {
    const fail = (): never => {
      throw new MethodError(-32163, "not this", { httpStatus: 403, headers: { "retry-after": "1" } });
    };
    const handler = createEcho({ handlers: { ...idle, fail } });
    const headers = { "content-type": "application/json" };
    const lone = call("fail", [{ text: "" }], 1);
    const answer = { id: 1, error: { code: -32163, message: "not this" } };
    const retry = { ...headers, "retry-after": "1" };
    expect(await send(lone, handler)).toMatchObject({ status: 403, headers: retry, json: answer });
    const batch = await send([lone], handler);
    expect(batch).toMatchObject({ status: 200, json: [answer] });
    expect(batch.headers).toEqual(headers);
    expect(await send(call("fail", [{ text: "" }]), handler)).toMatchObject({ status: 204, body: null });
    expect(await send(call("fail", [{ text: "lost" }], 1))).toMatchObject({ status: 200, json: { id: 1 } });
  });

  test("that throws another error hides it", async () => {
    const handler = createEcho();
    const { text } = await send(call("fail", [{ text: "secret" }], 1), handler);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}');
    expect(handler.errors).toEqual([new Error("the secret")]);
  });

  test("that throws a method error with a cause reports the cause only to the operator", async () => {
    const cause = new Error("the disk");
    const fail = (): never => {
      throw new MethodError(-32161, "unreadable", { cause });
    };
    const handler = createEcho({ handlers: { ...idle, fail } });
    const { json } = await send(call("fail", [{ text: "x" }], 1), handler);
    expect(json.error).toEqual({ code: -32161, message: "unreadable" });
    expect(handler.errors).toEqual([cause]);
  });

  test("whose error or result cannot be written as JSON is an internal error", async () => {
    const big = createEcho({ handlers: { ...idle, echo: () => 1n } });
    const data = createEcho({
      handlers: {
        ...idle,
        echo() {
          throw new MethodError(-32099, "lost", { data: 1n });
        },
      },
    });
    for (const handler of [big, data]) {
      expect((await send(call("echo", [{ text: "x" }], 1), handler)).json).toMatchObject({
        id: 1,
        error: { code: -32603 },
      });
    }
  });

  test("returns preencoded bytes unchanged", async () => {
    expect((await send(call("page", [{ text: "ü" }], 1))).text).toBe('{"jsonrpc":"2.0","id":1,"result":["ü"]}');
  });

  test("returns preencoded pieces unchanged, also validated ones", async () => {
    const page = () => preencoded(['{"text":"', bytes("ü"), '"}']);
    for (const validateResults of [false, true]) {
      const handler = createEcho({ validateResults, handlers: { ...idle, page } });
      const { text } = await send(call("page", [{ text: "" }], 1), handler);
      expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"text":"ü"}}');
    }
  });

  test("is performed through the function around, as are its authentication and the admission to its batch", async () => {
    const around = <T>(work: () => Promise<T>): Promise<T> =>
      work().catch((error: Error) => {
        throw new MethodError(-32001, `converted: ${error.message}`);
      });
    const fails = (message: string) => () => Promise.reject(new Error(message));
    const handlers = { ...idle, echo: fails("method") };
    const admitMember = fails("admission");
    const [first, second] = (
      await send(
        [call("echo", [{ text: "a" }], 1), call("echo", [{ text: "b" }], 2)],
        createEcho({ handlers, around, admitMember }),
      )
    ).json;
    expect([first.error.message, second.error.message]).toEqual(["converted: method", "converted: admission"]);
    const { status, json } = await send(call("echo", [], 1), createEcho({ around, authenticate: fails("key") }));
    expect([status, json.error.message]).toEqual([401, "converted: key"]);
  });

  test("whose result is not valid is an internal error with validateResults", async () => {
    const wrong = call("echo", [{ text: "wrong" }], 1);
    expect((await send(wrong)).json.result).toBe("wrong");
    expect((await send(wrong, createEcho({ validateResults: true }))).json.error.code).toBe(-32603);
  });

  test("whose preencoded result is returned again validates it once", async () => {
    const [right, wrong] = [preencoded('"right"'), preencoded(bytes('"wrong"'))];
    const page = ({ text }: { readonly text: string }) => (text === "right" ? right : wrong);
    const handler = createEcho({ validateResults: true, handlers: { ...idle, page } });
    const parse = vi.spyOn(JSON, "parse");
    for (const text of ["right", "wrong", "right", "wrong"])
      await handler.handle(JSON.stringify(call("page", [{ text }], 1)), new Headers({ "x-api-key": "k" }));
    const parsed = parse.mock.calls.map(([text]) => text);
    parse.mockRestore();
    expect(parsed.filter((text) => text === '"right"')).toHaveLength(1);
    expect(parsed.filter((text) => text === '"wrong"')).toHaveLength(2);
    expect(handler.errors).toHaveLength(2);
  });

  test.each([undefined, [], {}])("of rpc.discover with the params %j returns the document", async (params) => {
    expect((await send(call("rpc.discover", params, 1))).json.result).toEqual({ openrpc: "1.3.2" });
  });
});

describe("a notification", () => {
  test.each([
    call("echo", [{ text: "x" }]),
    call("nothing", []),
    call("echo", [{}]),
    call("fail", [{ text: "secret" }]),
  ])("has no answer: %j", async (notification) => {
    const { status, headers, body } = await send(notification);
    expect({ status, headers, body }).toEqual({ status: 204, headers: {}, body: null });
  });

  test("is performed", async () => {
    const handler = createEcho();
    await send(call("echo", [{ text: "done" }]), handler);
    expect(handler.echoed).toEqual(["done"]);
  });
});

describe("a batch", () => {
  test("is answered member by member, in order, without notifications", async () => {
    const { json } = await send([
      call("echo", [{ text: "a" }], 1),
      call("echo", [{ text: "b" }]),
      7,
      call("page", [{ text: "c" }], "c"),
      call("no", [], 4),
    ]);
    expect(json).toMatchObject([
      { id: 1, result: "a" },
      { id: null, error: { code: -32600 } },
      { id: "c", result: ["c"] },
      { id: 4, error: { code: -32601 } },
    ]);
  });

  test("of notifications only has no answer", async () => {
    expect((await send([call("echo", [{ text: "a" }]), call("no", [])])).status).toBe(204);
  });

  test.each([[[]], [new Array(1001).fill(1)]])("that is empty or too long has one error", async (batch) => {
    expect((await send(batch)).json).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test("of 1000 calls is answered completely, few at a time", async () => {
    let running = 0;
    let most = 0;
    const handler = createEcho({ limits: { maxBatchConcurrency: 4 } });
    const batch = Array.from({ length: 1000 }, (_, id) => call("echo", [{ text: `${id}` }], id));
    const busy = createEcho({
      limits: { maxBatchConcurrency: 4 },
      handlers: {
        ...idle,
        async echo({ text }) {
          most = Math.max(most, ++running);
          await Promise.resolve();
          running--;
          return text;
        },
      },
    });
    expect((await send(batch, handler)).json).toHaveLength(1000);
    expect((await send(batch, busy)).json.map((reply: { result: string }) => reply.result)).toEqual(
      batch.map((_, id) => `${id}`),
    );
    expect(most).toBe(4);
  });

  test("of waiting calls is answered when one of them has ended", async () => {
    const handler = createEcho({
      limits: { maxBatchConcurrency: 2 },
      handlers: {
        ...idle,
        echo({ text }, { endWaits }) {
          endWaits();
          return text;
        },
        slow: (_, { hold }) =>
          hold(async (over) => {
            if (!over.aborted) await new Promise((resolve) => over.addEventListener("abort", resolve));
            return "waited";
          }),
      },
    });
    const slow = [1, 2, 3, 4].map((id) => call("slow", [{ text: "" }], id));
    const { json } = await send([...slow, call("echo", [{ text: "done" }], 5), ...slow], handler);
    const waited = Array(4).fill("waited");
    expect(json.map(({ result }: { result: unknown }) => result)).toEqual([...waited, "done", ...waited]);
  });

  test("limits the size of its answers together; a single call is always answered", async () => {
    const page = bytes(JSON.stringify("ü".repeat(100)));
    const handler = createEcho({
      limits: { maxReplyBytes: 600 },
      handlers: { ...idle, page: () => preencoded(page) },
    });
    const pages = [1, 2, 3, 4].map((id) => call("page", [{ text: "" }], id));
    const { body, json } = await send([...pages, call("echo", [{ text: "" }], 5)], handler);
    expect(body?.filter((piece) => piece === page)).toHaveLength(2);
    const expected = "a batch whose answers have at most 600 bytes";
    const error = { code: -32600, data: { issues: [{ pointer: "", expected, received: "more" }] } };
    expect(json).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3, error }, { id: 4, error }, { id: 5, result: 0 }]);
    const withoutIds = await send(Array(8).fill({}), handler);
    expect(withoutIds.json.at(-1)).toMatchObject({ id: null, error });
    const small = createEcho({ limits: { maxReplyBytes: 10 } });
    expect((await send(call("echo", [{ text: "x" }], 1), small)).json.result).toBe("x");
  });

  test("keeps large ids apart from members called id elsewhere", async () => {
    const { text } = await send(
      '[{"jsonrpc":"2.0","method":"echo","params":[{"text":"x","id":99999999999999999}],"id":9007199254740993},{"jsonrpc":"2.0","method":"echo","params":[{"text":"y"}],"\\u0069d":12345678901234567890}]',
    );
    expect(text).toContain('"id":9007199254740993,"result":"x"');
    expect(text).toContain('"id":12345678901234567890,"result":"y"');
  });
});
