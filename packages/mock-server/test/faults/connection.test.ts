import { expect, it, vi } from "vitest";
import { transmitted } from "../../src/faults/connection.ts";
import type { ConnectionFault } from "../../src/faults/fault.ts";

const body = ["é", new TextEncoder().encode("bc"), "d"];
const reply = { status: 201, headers: { a: "b" }, body };
const never = new AbortController().signal;

/** Returns the pieces of a reply as text, and the error at its end. */
async function arrived(connection: ConnectionFault, signal = never, sent: Parameters<typeof transmitted>[0] = reply) {
  const { status, headers, body, stream } = await transmitted(sent, connection, signal);
  const pieces: Uint8Array[] = (body ?? []).map((piece) =>
    typeof piece === "string" ? new TextEncoder().encode(piece) : piece,
  );
  let error: unknown;
  try {
    for await (const piece of stream ?? []) pieces.push(piece as Uint8Array);
  } catch (caught) {
    error = caught;
  }
  return { status, headers, pieces: pieces.map((piece) => [...piece]), error };
}

const bytes = [0xc3, 0xa9, 0x62, 0x63, 0x64];

it("a normal connection sends the reply itself", async () => {
  expect(await transmitted(reply, "normal", never)).toBe(reply);
});

it("byte by byte sends each byte in a piece of its own", async () => {
  const { status, headers, pieces, error } = await arrived("byte-by-byte");
  expect({ status, headers, pieces, error }).toEqual({
    status: 201,
    headers: { a: "b" },
    pieces: bytes.map((byte) => [byte]),
    error: undefined,
  });
  expect((await arrived("byte-by-byte", never, { ...reply, body: ["x"] })).pieces).toEqual([[0x78]]);
  expect((await arrived("byte-by-byte", never, { ...reply, body: null })).pieces).toEqual([]);
});

it.each([
  ["close-mid-body", "UND_ERR_SOCKET", "connection closed"],
  ["reset-mid-body", "ECONNRESET", "connection reset"],
] as const)("%s sends half of the announced bytes, then fails", async (connection, code, message) => {
  const { headers, pieces, error } = await arrived(connection);
  expect({ headers, pieces }).toEqual({ headers: { a: "b", "content-length": "5" }, pieces: [bytes.slice(0, 2)] });
  expect(error).toMatchObject({ name: "TypeError", message: "terminated", cause: { code, message } });
});

it.each([
  ["close", "UND_ERR_SOCKET", "connection closed"],
  ["reset", "ECONNRESET", "connection reset"],
] as const)("%s fails without an answer", async (connection, code, message) => {
  const cause = expect.objectContaining({ code, message });
  await expect(transmitted(reply, connection, never)).rejects.toMatchObject({ message: "fetch failed", cause });
});

it.each(["hang", "stall-mid-body"] as const)("%s lasts until the caller aborts, also before it", async (connection) => {
  const caller = new AbortController();
  const ended = vi.fn();
  const answer = arrived(connection, caller.signal).then(({ error }) => ended(error), ended);
  await new Promise(setImmediate);
  expect(ended).not.toHaveBeenCalled();
  caller.abort(new Error("gave up"));
  await answer;
  expect(ended).toHaveBeenCalledWith(new Error("gave up"));
  await arrived(connection, caller.signal).then(({ error }) => ended(error), ended);
  expect(ended).toHaveBeenCalledTimes(2);
});

it("trickle sends blanks until the caller aborts", async () => {
  const caller = new AbortController();
  const { body, stream } = await transmitted(reply, "trickle", caller.signal);
  const pieces: number[][] = [];
  const read = async () => {
    for await (const piece of stream ?? []) {
      pieces.push([...(piece as Uint8Array)]);
      if (pieces.length === 3) caller.abort(new Error("gave up"));
    }
  };
  await expect(read()).rejects.toThrow("gave up");
  expect([body, pieces]).toEqual([[], [[32], [32], [32]]]);
});
