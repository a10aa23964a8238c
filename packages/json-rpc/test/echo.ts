import {
  createHandler,
  type Handler,
  type HandlerOptions,
  MethodError,
  type ParsedHandler,
  preencoded,
} from "../src/handler.ts";
import { issueAt } from "../src/issue.ts";
import type { Schema, ServedMethod } from "../src/method.ts";

/** Schema of an object with a `text`, or of any value. */
function schema<T>(accepts: (value: unknown) => value is T, expected: string): Schema<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => (accepts(value) ? { value } : { issues: [issueAt([], expected, value)] }),
    },
  };
}

interface Echo {
  readonly text: string;
}
const isEcho = (value: unknown): value is Echo =>
  typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
const echo: ServedMethod<Echo, unknown> = {
  descriptor: { name: "echo", errors: { [-32099]: "Lost" } },
  params: schema(isEcho, "an object with a text"),
  result: schema((value): value is unknown => value !== "wrong", "not the text wrong"),
};

const methods = { echo, fail: echo, page: echo, slow: echo };

export interface EchoHandler extends ParsedHandler {
  /** Echoed texts, in order. */
  readonly echoed: string[];
  readonly errors: unknown[];
  /** Signal of the last `slow` call, which waits until it is aborted. */
  readonly slow: { signal: AbortSignal | undefined };
}

/** Small service: `echo` returns its text, `fail` throws it, `page` returns it preencoded, `slow` waits until it is aborted. */
export function createEcho(options: Partial<HandlerOptions<typeof methods, string>> = {}): EchoHandler {
  const echoed: string[] = [];
  const errors: unknown[] = [];
  const slow: EchoHandler["slow"] = { signal: undefined };
  const handler = createHandler({
    methods,
    handlers: {
      echo({ text }) {
        echoed.push(text);
        return text;
      },
      fail({ text }) {
        if (text === "secret") throw new Error("the secret");
        throw new MethodError(-32099, text, { data: { text } });
      },
      page: ({ text }) => preencoded(new TextEncoder().encode(JSON.stringify([text]))),
      slow: (_, { signal }) =>
        new Promise((resolve) => {
          slow.signal = signal;
          signal.addEventListener("abort", () => resolve("aborted"));
        }),
    },
    authenticate(headers) {
      const key = headers.get("x-api-key");
      if (key === null) throw new MethodError(-32163, "no key");
      return key;
    },
    document: { openrpc: "1.3.2" },
    onError: (error) => errors.push(error),
    ...options,
  });
  return { ...handler, echoed, errors, slow };
}

/** Handlers for tests that use only some of the methods. */
export const idle = { echo: () => 0, fail: () => 0, page: () => 0, slow: () => 0 };

const key = new Headers({ "x-api-key": "k" });

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function call(method: string, params: unknown, id?: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", method, params, ...(id === undefined ? {} : { id }) };
}

/** Sends a body: bytes and text unchanged, any other value as JSON. */
export async function send(body: unknown, handler: Handler = createEcho(), headers = key) {
  const sent = body instanceof Uint8Array ? body : bytes(typeof body === "string" ? body : JSON.stringify(body));
  const reply = await handler.handle(sent, headers);
  const pieces = reply.body?.map((piece) => (typeof piece === "string" ? bytes(piece) : piece));
  const replied = pieces === undefined ? undefined : Buffer.concat(pieces).toString();
  return { ...reply, text: replied, json: replied === undefined ? undefined : JSON.parse(replied) };
}
