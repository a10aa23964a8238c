import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionFault, Fault } from "../../src/client/case.ts";
import { send } from "../../src/client/connection-fault.ts";

const body = '{"a":1}';
/** Time after the text in which a connection that does not stay open would end. */
const openMs = 100;

/**
 * Makes a request to a server with a fault. Returns what arrives, and the state of the connection.
 * @param expected text after which the connection stays open; undefined waits for its end
 */
async function received(fault: Fault, expected?: RegExp): Promise<{ readonly text: string; readonly state: string }> {
  const server = createServer((_, response) => void send(response, fault, Buffer.from(body))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  let text = "";
  let state = "open";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", (error) => {
    state = "code" in error ? String(error.code) : error.message;
  });
  socket.on("end", () => {
    state = "closed";
  });
  socket.write("POST / HTTP/1.1\r\nhost: a\r\n\r\n");
  await vi.waitFor(() => expect(socket.closed || expected?.test(text)).toBe(true), { timeout: 10_000 });
  await Promise.race([once(socket, "close").catch(() => {}), sleep(openMs)]);
  return { text, state };
}

const whole = /content-length: 7\r\n.*\r\n\r\n\{"a":1\}$/s;
const half = /\r\n\r\n\{"a$/;

it.each<[string, Fault["connection"], RegExp, string]>([
  ["the whole body", undefined, whole, "open"],
  ["the whole body", "normal", whole, "open"],
  ["the whole body", "close-after-body", whole, "closed"],
  ["each byte", "byte-by-byte", /\r\n\r\n1\r\n\{\r\n1\r\n"\r\n(?:1\r\n.\r\n){5}0\r\n\r\n$/, "open"],
  ["white space without an end", "trickle", /\r\n\r\n(?:1\r\n \r\n){4,}$/, "open"],
  ["half of the body", "stall-mid-body", half, "open"],
  ["half of the body", "close-mid-body", half, "closed"],
  ["half of the headers", "stall-mid-headers", /^HTTP\/1\.1 200 OK\r\ncontent-ty$/, "open"],
])("sends %s with the connection %s", async (_, connection, expected, state) => {
  const found = await received(connection === undefined ? {} : { connection }, state === "open" ? expected : undefined);
  expect(found).toEqual({ text: expect.stringMatching(expected), state });
  expect(found.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  if (connection !== "stall-mid-headers") expect(found.text).toContain("\r\ncontent-type: application/json\r\n");
});

it.each<[ConnectionFault, string]>([
  ["hang", "open"],
  ["close", "closed"],
  ["reset", "ECONNRESET"],
])("sends nothing with the connection %s", async (connection, state) => {
  expect(await received({ connection }, state === "open" ? /^$/ : undefined)).toEqual({ text: "", state });
});

it("resets the connection in the middle of the body", async () => {
  const { text, state } = await received({ connection: "reset-mid-body" });
  expect([state, text.includes('"a":1')]).toEqual(["ECONNRESET", false]);
});

it.each([
  ["{later}", 3_600_000],
  ["{earlier}", -3_600_000],
  ["{soon}", 2_000],
])("sends a status and headers, with the date %s", async (date, ms) => {
  const before = Date.now();
  const { text } = await received(
    { status: 503, headers: { "retry-after": date, "content-type": "text/html" } },
    whole,
  );
  expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\ncontent-type: text\/html\r\n/);
  const [, sent = ""] = /\r\nretry-after: ([^\r]+)\r\n/.exec(text) ?? [];
  // The date has whole seconds.
  expect(Date.parse(sent) - ms).toBeGreaterThan(before - 1_000);
  expect(Date.parse(sent) - ms).toBeLessThanOrEqual(Date.now());
});
