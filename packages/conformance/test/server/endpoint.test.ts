import { expect, it, test } from "vitest";
import { SlowAnswer } from "../../src/server/check.ts";
import { ApiKeyError, checkEndpoint, UnreachableError } from "../../src/server/endpoint.ts";
import type { Exchange } from "../../src/server/exchange.ts";
import type { Session } from "../../src/server/session.ts";

/** Session whose server gives one exchange; counts the senders that are closed. */
function sessionWith(send: () => Promise<Partial<Exchange>>) {
  const closed: string[] = [];
  const close = async () => {
    closed.push("sender");
  };
  const session = { variables: {}, createSender: () => ({ send, [Symbol.asyncDispose]: close }) };
  return { session: session as unknown as Session, closed };
}
const answered = (status: number, body: string, contentType?: string) =>
  sessionWith(async () => ({
    answer: {
      status,
      headers: contentType === undefined ? {} : { "content-type": contentType },
      body: Buffer.from(body),
    },
  })).session;
const reply = '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":""}}';
const elsewhere = (text: string) =>
  new UnreachableError(`no JSON-RPC endpoint at /e: ${text}; pass the URL that accepts calls`);

test.each([
  [200, reply, undefined],
  [200, "1", "text/html"],
  [299, "1", "text/html"],
  [404, reply, undefined],
  [500, '{"jsonrpc":1}', "text/html"],
  [400, '{"error":{}}', "text/html"],
  [403, reply, undefined],
  [500, "oops", "text/plain"],
  [200, "oops", "application/json"],
])("an endpoint that answers %i with %j is checked further", async (status, body, contentType) => {
  await expect(checkEndpoint("/e", answered(status, body, contentType))).resolves.toBeUndefined();
});

test.each([401, 403])("an HTTP error %i is a wrong API key", async (status) => {
  const error = new ApiKeyError(`the server at /e refuses the API key: HTTP ${status}; pass a valid key`);
  await expect(checkEndpoint("/e", answered(status, status === 401 ? reply : ""))).rejects.toThrow(error);
});

test.each([
  [300, "1", undefined, "HTTP 300, no content type"],
  [300, "{}", "application/json", "HTTP 300, application/json"],
  [404, '{"error":1}', "application/json", "HTTP 404, application/json"],
  [404, "null", "application/json", "HTTP 404, application/json"],
  [499, "", "text/plain", "HTTP 499, text/plain"],
  [200, "<p>", "text/html; charset=utf-8", "HTTP 200, text/html; charset=utf-8"],
  [500, "<p>", "text/html", "HTTP 500, text/html"],
])("an answer %i with %j is of no endpoint", async (status, body, contentType, text) => {
  await expect(checkEndpoint("/e", answered(status, body, contentType))).rejects.toThrow(elsewhere(text));
});

it("is unreachable by an error, or by no answer in time, and then the sender is closed", async () => {
  const refused = sessionWith(() => Promise.reject(new Error("refused")));
  await expect(checkEndpoint("/e", refused.session)).rejects.toThrow(
    new UnreachableError("no server answers at /e: refused"),
  );
  const slow = sessionWith(() => Promise.reject(new SlowAnswer(["a", "b"])));
  await expect(checkEndpoint("/e", slow.session)).rejects.toThrow(
    new UnreachableError("the server at /e does not answer in time: a; b"),
  );
  expect([refused.closed, slow.closed]).toEqual([["sender"], ["sender"]]);
});

it("may give no answer at all", async () => {
  await expect(checkEndpoint("/e", sessionWith(async () => ({})).session)).resolves.toBeUndefined();
});

it("has errors that are known by their names", () => {
  expect([new ApiKeyError("").name, new UnreachableError("").name]).toEqual(["ApiKeyError", "UnreachableError"]);
});
