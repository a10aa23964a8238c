import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createFetch } from "../src/fetch.ts";
import { type Handler, intercepted, type Reply } from "../src/handler.ts";
import { createRequestListener } from "../src/node.ts";
import { bytes, createEcho } from "./echo.ts";

const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };

/** Received part of a response: its text, and the reason why it is incomplete. */
async function arrived(response: Promise<Response>) {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of (await response).body ?? []) text += decoder.decode(piece, { stream: true });
    return { text };
  } catch (error) {
    const { cause = error } = error as Error; // what `fetch` rejects with
    return { text, code: (cause as NodeJS.ErrnoException).code };
  }
}

async function byNode(handler: Handler) {
  const server = createServer(createRequestListener(handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  try {
    return await arrived(fetch(`http://127.0.0.1:${port}/json-rpc`, init));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const byFetch = (handler: Handler) => arrived(createFetch(handler)("http://quern.test/json-rpc", init));

const reset = new Error("gone", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });

async function* pieces(end?: Error) {
  yield bytes("b");
  yield bytes("c");
  if (end !== undefined) throw end;
}

function answering(answer: () => Promise<Reply>): Handler {
  return intercepted(createEcho(), answer);
}
const streaming = (end?: Error) =>
  answering(async () => ({ status: 200, headers: {}, body: [bytes("a")], stream: pieces(end) }));
const refusing = (error: Error) => answering(() => Promise.reject(error));

describe("a reply with a stream", () => {
  it("has the body and the chunks of the stream", async () => {
    for (const door of [byNode, byFetch]) expect(await door(streaming())).toEqual({ text: "abc" });
  });

  it("stays incomplete if the stream throws", async () => {
    expect(await byNode(streaming(new Error("closed")))).toMatchObject({ code: "UND_ERR_SOCKET" });
    expect(await byNode(streaming(reset))).toMatchObject({ code: "ECONNRESET" });
    expect(await byFetch(streaming(reset))).toEqual({ text: "abc", code: "ECONNRESET" });
  });
});

it("a handler that rejects closes or resets the connection without an answer", async () => {
  expect(await byNode(refusing(new Error("closed")))).toEqual({ text: "", code: "UND_ERR_SOCKET" });
  expect(await byNode(refusing(reset))).toEqual({ text: "", code: "ECONNRESET" });
});
