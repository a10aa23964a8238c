import type { AdversaryCase, Fault } from "../case.ts";
import { create, firstPage, look, looking, must, never, once, otherLook, shortMs } from "./asks.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const large = { "x-trace": "x".repeat(100_000) };
const silent = (name: string, fault: Fault) => looking(name, { ...fault, ...never }, "timeout", { timeoutMs: shortMs });
const left = (name: string, fault: Fault) => looking(name, { ...fault, ...never }, "aborted", { abort: true });
const inTurn = (name: string, faults: readonly Fault[]): AdversaryCase => ({
  name,
  sequence: [look, otherLook],
  faults,
  ends: ["right", "right"],
});
const creating = (name: string, fault: Fault): AdversaryCase => ({
  name,
  calls: [create],
  faults: [fault],
  ends: ["network"],
  ...once,
});

/** Faults of connections, and of HTTP itself. */
export const connectionCases: readonly AdversaryCase[] = [
  {
    name: "a reply in chunks of one byte",
    calls: [firstPage],
    faults: [{ travel: "bytes" }],
    ends: ["right"],
    ...must,
  },
  looking("a body cut in the middle", { travel: "cut" }, "right"),
  looking("every body cut in the middle", { travel: "cut", ...never }, "network"),
  looking("chunks without an end", { raw: `${chunked}b\r\n{"jsonrpc":\r\n`, ...never }, "network"),
  looking("chunks whose length is no number", { raw: `${chunked}many\r\n{all}\r\n`, ...never }, "network"),
  looking("a reset in the middle of a body", { travel: "reset" }, "right"),
  looking("a reset in the middle of every body", { travel: "reset", ...never }, "network"),
  looking("a connection closed without an answer", { travel: "no answer, closed" }, "right"),
  looking("every connection closed without an answer", { travel: "no answer, closed", ...never }, "network"),
  looking("a connection reset without an answer", { travel: "no answer, reset" }, "right"),
  looking("every connection reset without an answer", { travel: "no answer, reset", ...never }, "network"),
  creating("a create reset without an answer", { travel: "no answer, reset" }),
  creating("a create whose answer is cut", { travel: "cut" }),
  { name: "nobody there", calls: [look], service: "absent", faults: [], ends: ["network"] },
  silent("silence", { travel: "silence" }),
  silent("silence after half of the head", { travel: "stall in the head" }),
  silent("silence after half of the body", { travel: "stall" }),
  silent("blanks for ever", { travel: "trickle" }),
  silent("more body promised than comes", { headers: { "content-length": "100000" } }),
  {
    name: "silence to two calls",
    calls: [look, otherLook],
    faults: [{ travel: "silence", ...never }],
    ends: ["timeout", "timeout"],
    timeoutMs: shortMs,
  },
  left("silence until the caller gives up", { travel: "silence" }),
  left("half of a body until the caller gives up", { travel: "stall" }),
  looking("a slow start", { delayMs: 30 }, "right", { ...once, ...must }),
  inTurn("a connection closed between two calls", [{ travel: "then closed" }]),
  inTurn("a kept connection closed under the second call", [{}, { travel: "no answer, closed" }]),
  inTurn("a kept connection reset under the second call", [{}, { travel: "no answer, reset" }]),
  inTurn("an answer nobody asked for on a kept connection", [
    { raw: `${head}content-length: {length}\r\n\r\n{all}HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n` },
  ]),
  { ...inTurn("connection: close on each answer", [{ headers: { connection: "close" }, ...never }]), ...must },
  inTurn("HTTP/1.0 that ends with the connection", [{ raw: "HTTP/1.0 200 OK\r\n\r\n{all}", ...never }]),
  looking(
    "early hints before the answer",
    { raw: `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head}content-length: {length}\r\n\r\n{all}` },
    "right",
  ),
  looking("headers of eight kilobytes", { headers: { "x-trace": "x".repeat(8192) } }, "right"),
  looking("headers of a hundred kilobytes", { headers: large }, "right"),
  looking("headers of a hundred kilobytes on each answer", { headers: large, ...never }, "right or network"),
  looking(
    "two lengths that differ",
    { raw: `${head}content-length: {length}\r\ncontent-length: 7\r\n\r\n{all}`, ...never },
    "network",
  ),
  looking("a length that is no number", { raw: `${head}content-length: many\r\n\r\n{all}`, ...never }, "network"),
  looking("another protocol than HTTP", { raw: "220 mail.example ESMTP\r\n", ...never }, "network"),
  looking("a banner before the answer", { raw: `hello\r\n${head}content-length: {length}\r\n\r\n{all}` }, "right"),
];
