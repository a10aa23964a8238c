import { describe, expect, test } from "vitest";
import { MethodError } from "../src/handler.ts";
import { createEcho } from "./echo.ts";

const key = new Headers({ "x-api-key": "k" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function call(method: string, params: unknown, id?: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", method, params, ...(id === undefined ? {} : { id }) };
}

async function send(body: unknown, handler = createEcho(), headers = key) {
  const reply = await handler.handle(bytes(typeof body === "string" ? body : JSON.stringify(body)), headers);
  const text = reply.body === null ? undefined : new TextDecoder().decode(reply.body);
  return { ...reply, text, json: text === undefined ? undefined : JSON.parse(text) };
}

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
  ])("with the params %j is told where they are wrong", async (params, pointer) => {
    const { json } = await send(call("echo", params, 1));
    expect(json).toMatchObject({ id: 1, error: { code: -32602, data: { issues: [{ pointer }] } } });
  });

  test.each([null, "x", 1, true])("with the params %j is no request, and keeps its id", async (params) => {
    const { json } = await send(call("echo", params, "a"));
    expect(json).toMatchObject({ id: "a", error: { code: -32600, data: { issues: [{ pointer: "/params" }] } } });
  });

  test("that throws a method error is told code, message and data", async () => {
    const { json } = await send(call("fail", [{ text: "lost" }], 1));
    expect(json.error).toEqual({ code: -32099, message: "lost", data: { text: "lost" } });
  });

  test("that throws anything else is told nothing of it", async () => {
    const handler = createEcho();
    const { text } = await send(call("fail", [{ text: "secret" }], 1), handler);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}');
    expect(handler.errors).toEqual([new Error("the secret")]);
  });

  test("whose error or result is no JSON is an internal error", async () => {
    const rest = { fail: () => 0, page: () => 0, slow: () => 0 };
    const big = createEcho({ handlers: { ...rest, echo: () => 1n } });
    const data = createEcho({
      handlers: {
        ...rest,
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

  test("gets preencoded bytes as they are", async () => {
    expect((await send(call("page", [{ text: "ü" }], 1))).text).toBe('{"jsonrpc":"2.0","id":1,"result":["ü"]}');
  });

  test("whose result is not valid is an internal error where results are checked", async () => {
    const wrong = call("echo", [{ text: "wrong" }], 1);
    expect((await send(wrong)).json.result).toBe("wrong");
    expect((await send(wrong, createEcho({ validateResults: true }))).json.error.code).toBe(-32603);
  });

  test.each([undefined, [], {}])("of rpc.discover with the params %j gets the document", async (params) => {
    expect((await send(call("rpc.discover", params, 1))).json.result).toEqual({ openrpc: "1.3.2" });
  });

  test("with a number that no double holds is refused with its place", async () => {
    const { json } = await send('{"jsonrpc":"2.0","method":"echo","params":[{"text":"x","n":[1e400]}],"id":1}');
    expect(json).toMatchObject({ id: 1, error: { code: -32602, data: { issues: [{ pointer: "/params/0/n/0" }] } } });
  });
});

describe("a notification", () => {
  test.each([
    call("echo", [{ text: "x" }]),
    call("nothing", []),
    call("echo", [{}]),
    call("fail", [{ text: "secret" }]),
  ])("gets nothing: %j", async (notification) => {
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
  test("is answered member by member, in its order, without its notifications", async () => {
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

  test("of notifications only gets nothing", async () => {
    expect((await send([call("echo", [{ text: "a" }]), call("no", [])])).status).toBe(204);
  });

  test.each([[[]], [new Array(1001).fill(1)]])("that is empty or too long gets one error", async (batch) => {
    expect((await send(batch)).json).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test("of 1000 calls is answered whole, few at a time", async () => {
    let running = 0;
    let most = 0;
    const handler = createEcho({ limits: { maxBatchConcurrency: 4 } });
    const batch = Array.from({ length: 1000 }, (_, id) => call("echo", [{ text: `${id}` }], id));
    const busy = createEcho({
      limits: { maxBatchConcurrency: 4 },
      handlers: {
        ...{ fail: () => 0, page: () => 0, slow: () => 0 },
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

  test("keeps large ids apart from members called id elsewhere", async () => {
    const { text } = await send(
      '[{"jsonrpc":"2.0","method":"echo","params":[{"text":"x","id":99999999999999999}],"id":9007199254740993},{"jsonrpc":"2.0","method":"echo","params":[{"text":"y"}],"\\u0069d":12345678901234567890}]',
    );
    expect(text).toContain('"id":9007199254740993,"result":"x"');
    expect(text).toContain('"id":12345678901234567890,"result":"y"');
  });
});

describe("a body that cannot be read", () => {
  test.each(["", "{", "[1,", "NaN", "{'a':1}", "{} {}", '{"a":1}x', "\u0000"])("is a parse error: %j", async (body) => {
    expect((await send(body)).json).toMatchObject({ id: null, error: { code: -32700 } });
  });

  test("is a parse error where it is not UTF-8, and read where it has a byte order mark", async () => {
    const handler = createEcho();
    const bad = await handler.handle(new Uint8Array([0x22, 0xff, 0x22]), key);
    expect(JSON.parse(new TextDecoder().decode(bad.body ?? bytes("")))).toMatchObject({ error: { code: -32700 } });
    expect((await send(`\uFEFF${JSON.stringify(call("echo", [{ text: "x" }], 1))}`)).json.result).toBe("x");
  });

  test.each([
    ["arrays", `{"jsonrpc":"2.0","method":"echo","params":${"[".repeat(20_000)}${"]".repeat(20_000)},"id":1}`],
    ["objects", `{"jsonrpc":"2.0","method":"echo","params":[${'{"a":'.repeat(5000)}1${"}".repeat(5000)}],"id":1}`],
  ])("too deep in %s is refused with its id", async (_, body) => {
    expect((await send(body)).json).toMatchObject({ id: 1, error: { code: -32600 } });
  });

  test("is not too deep for brackets within strings", async () => {
    const text = `\\" ${"[".repeat(500)} \\\\`;
    expect((await send(call("echo", [{ text }], 1))).json.result).toBe(text);
  });
});

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

  test("that breaks is HTTP 500 and hides why", async () => {
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
