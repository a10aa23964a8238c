import { EventEmitter } from "node:events";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { limitMessages, maxMessageBytes } from "../../src/source/message-limit.ts";

/** Connection without a server, whose parser notes what it gets. */
function connected() {
  const parsed: Buffer[] = [];
  const failures: unknown[] = [];
  const stream = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => (stream.destroyed = true) });
  stream.on("data", (chunk: Buffer) => parsed.push(chunk));
  const connection = Object.assign(new EventEmitter(), { stream });
  connection.on("errorMessage", (error) => failures.push(error));
  limitMessages({ connection } as unknown as Client);
  return { stream, parsed, failures };
}

const tooLarge = expect.objectContaining({ name: "ResultTooLarge" });

/** Message of the protocol: a letter, the length of the rest, and a body. */
function messageOf(body: Buffer, length = body.length): Buffer {
  const header = Buffer.from("D\0\0\0\0");
  header.writeUInt32BE(length + 4, 1);
  return Buffer.concat([header, body]);
}

const short = ["", "a", "12345", "x".repeat(40)].map((body) => messageOf(Buffer.from(body)));
const long = messageOf(Buffer.from("aaa"), maxMessageBytes + 1);

it.each([1, 2, 3, 4, 5, 6, 7, 64, 1_000])("stops at the header of a long message, in chunks of %i bytes", (size) => {
  for (const messages of [short, [...short, long], [long]]) {
    const { stream, parsed, failures } = connected();
    const sent = Buffer.concat(messages);
    for (let at = 0; at < sent.length; at += size) stream.emit("data", sent.subarray(at, at + size));
    const isStopped = messages.includes(long);
    expect(stream.destroyed).toBe(isStopped);
    expect(failures).toEqual(isStopped ? [expect.objectContaining({ failure: tooLarge })] : []);
    const got = Buffer.concat(parsed);
    expect(got).toEqual(isStopped ? sent.subarray(0, got.length) : sent);
    expect(stream.listenerCount("data")).toBe(1);
  }
});
