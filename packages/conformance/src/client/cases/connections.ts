import type { AdversaryCase, Fault } from "../case.ts";
import { always, create, firstPage, must, otherPoll, poll, pollCase, sentOnce, shortTimeoutMs } from "./requests.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const large = { "x-trace": "x".repeat(100_000) };
const timingOut = (name: string, fault: Fault) =>
  pollCase(name, { ...fault, ...always }, "timeout", { timeoutMs: shortTimeoutMs });
const aborting = (name: string, fault: Fault) => pollCase(name, { ...fault, ...always }, "aborted", { abort: true });
const twoCalls = (name: string, faults: readonly Fault[]): AdversaryCase => ({
  name,
  sequence: [poll, otherPoll],
  faults,
  endings: ["right", "right"],
});
const creating = (name: string, fault: Fault): AdversaryCase => ({
  name,
  calls: [create],
  faults: [fault],
  endings: ["network"],
  ...sentOnce,
});

/** Faults of the connection and of HTTP. */
export const connectionCases: readonly AdversaryCase[] = [
  {
    name: "body byte by byte",
    calls: [firstPage],
    faults: [{ connection: "byte-by-byte" }],
    endings: ["right"],
    ...must,
  },
  pollCase("connection closed mid-body", { connection: "close-mid-body" }, "right"),
  pollCase("connection closed mid-body every time", { connection: "close-mid-body", ...always }, "network"),
  pollCase("chunked body without an end", { raw: `${chunked}b\r\n{"jsonrpc":\r\n`, ...always }, "network"),
  pollCase("invalid chunk length", { raw: `${chunked}many\r\n{all}\r\n`, ...always }, "network"),
  pollCase("connection reset mid-body", { connection: "reset-mid-body" }, "right"),
  pollCase("connection reset mid-body every time", { connection: "reset-mid-body", ...always }, "network"),
  pollCase("connection closed without a response", { connection: "close" }, "right"),
  pollCase("connection closed without a response every time", { connection: "close", ...always }, "network"),
  pollCase("connection reset without a response", { connection: "reset" }, "right"),
  pollCase("connection reset without a response every time", { connection: "reset", ...always }, "network"),
  creating("create reset without a response", { connection: "reset" }),
  creating("create closed mid-body", { connection: "close-mid-body" }),
  { name: "connection refused", calls: [poll], service: "absent", faults: [], endings: ["network"] },
  timingOut("no response", { connection: "hang" }),
  timingOut("no data after half of the headers", { connection: "stall-mid-headers" }),
  timingOut("no data after half of the body", { connection: "stall-mid-body" }),
  timingOut("endless whitespace", { connection: "trickle" }),
  timingOut("content length beyond the body", { headers: { "content-length": "100000" } }),
  {
    name: "no response to two calls",
    calls: [poll, otherPoll],
    faults: [{ connection: "hang", ...always }],
    endings: ["timeout", "timeout"],
    timeoutMs: shortTimeoutMs,
  },
  aborting("no response until the caller aborts", { connection: "hang" }),
  aborting("half of a body until the caller aborts", { connection: "stall-mid-body" }),
  pollCase("delayed response", { delayMs: 30 }, "right", { ...sentOnce, ...must }),
  twoCalls("connection closed between two calls", [{ connection: "close-after-body" }]),
  twoCalls("keep-alive connection closed in the second call", [{}, { connection: "close" }]),
  twoCalls("keep-alive connection reset in the second call", [{}, { connection: "reset" }]),
  twoCalls("unrequested response on a keep-alive connection", [
    { raw: `${head}content-length: {length}\r\n\r\n{all}HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n` },
  ]),
  { ...twoCalls("connection: close every time", [{ headers: { connection: "close" }, ...always }]), ...must },
  twoCalls("HTTP/1.0 body that ends with the connection", [{ raw: "HTTP/1.0 200 OK\r\n\r\n{all}", ...always }]),
  pollCase(
    "early hints before the response",
    { raw: `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head}content-length: {length}\r\n\r\n{all}` },
    "right",
  ),
  pollCase("headers of 8 kB", { headers: { "x-trace": "x".repeat(8192) } }, "right"),
  pollCase("oversized headers", { headers: large }, "right"),
  pollCase("oversized headers every time", { headers: large, ...always }, "right or network"),
  pollCase(
    "two content lengths",
    { raw: `${head}content-length: {length}\r\ncontent-length: 7\r\n\r\n{all}`, ...always },
    "network",
  ),
  pollCase("invalid content length", { raw: `${head}content-length: many\r\n\r\n{all}`, ...always }, "network"),
  pollCase("protocol other than HTTP", { raw: "220 mail.example ESMTP\r\n", ...always }, "network"),
  pollCase("banner before the response", { raw: `hello\r\n${head}content-length: {length}\r\n\r\n{all}` }, "right"),
];
