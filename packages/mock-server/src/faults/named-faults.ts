import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { methodsWith } from "../wire/method-traits.ts";
import type { FaultError } from "../wire/reply.ts";
import type { Fault, Misreply } from "./fault.ts";

/** Whether a client that does its best gets the right result nevertheless: of any call, of those it may repeat, or of none. */
type Remedy = "any call" | "reads" | "none";

export interface NamedFault {
  readonly name: string;
  readonly fault: Fault;
  readonly remedy: Remedy;
  /** Only calls of these methods can meet it. */
  readonly methods?: readonly string[];
}

const html = "<html><body><h1>502 Bad Gateway</h1></body></html>";
const asPage = { body: html, headers: { "content-type": "text/html" } };
const tooMany = (retryAfter: string): Fault => ({
  status: 429,
  body: "",
  performed: false,
  headers: { "retry-after": retryAfter },
});

const answers: readonly (readonly [string, Remedy, Fault])[] = [
  ["HTTP 401 with HTML", "none", { status: 401, ...asPage, performed: false }],
  ["HTTP 500 with HTML", "none", { status: 500, ...asPage }],
  ["HTTP 502 once", "reads", { status: 502, ...asPage }],
  ["HTTP 503 once", "reads", { status: 503, body: "", performed: false, headers: { "retry-after": "0" } }],
  ["HTTP 204 without a body", "none", { status: 204 }],
  ["429 that asks for no wait", "any call", tooMany("0")],
  ["429 that asks for a wait until a date gone by", "any call", tooMany("{earlier}")],
  ["429 that asks for a wait nobody can read", "any call", tooMany("soon, or -1")],
  ["429 that asks for an hour", "none", tooMany("3600")],
  ["429 that asks for a wait until a date an hour away", "none", tooMany("{later}")],
  ["a page for people", "none", asPage],
  ["an empty body", "none", { body: "" }],
  ["an empty array", "none", { body: "[]" }],
  ["an empty object", "none", { body: "{}" }],
  ["JSON null", "none", { body: "null" }],
  ["half of the JSON", "none", { body: '{"jsonrpc":"2.0","id":1,"resu' }],
  ["two replies after one another", "none", { body: "{all}{all}" }],
  ["a prefix against script inclusion", "none", { body: ")]}',\n{all}" }],
  ["blanks and line ends around the reply", "any call", { body: "\r\n\t {all} \r\n" }],
  ["a reply in chunks of one byte", "any call", { travel: "bytes" }],
  ["a slow start", "any call", { delay: 30 }],
  ["a body cut in the middle", "reads", { travel: "cut" }],
  ["a reset in the middle of a body", "reads", { travel: "reset" }],
  ["a connection closed without an answer", "reads", { travel: "no answer, closed" }],
  ["a connection reset without an answer", "reads", { travel: "no answer, reset" }],
  ["silence", "none", { travel: "silence" }],
  ["silence after half of the body", "none", { travel: "stall" }],
  ["blanks for ever", "none", { travel: "trickle" }],
  ["the result null", "none", { result: null }],
];

const lost = { code: -32099, message: "no such run" };
const errors: readonly (readonly [string, FaultError])[] = [
  ["an error without data", lost],
  ["data null", { ...lost, data: null }],
  ["data a text", { ...lost, data: "a" }],
  ["data an array", { ...lost, data: [[], {}, 0] }],
  ["data with an object's names", { ...lost, data: { toString: 2, constructor: 3 } }],
  ["invalid params with odd issues", { code: -32602, message: "no", data: { issues: 7 } }],
  ["a code nobody knows", { code: -31337, message: "?" }],
  ["a positive code", { code: 500, message: "?" }],
  ["an empty message", { ...lost, message: "" }],
];

const misreplies: readonly (readonly [Misreply, Remedy])[] = [
  ["the id of another call", "none"],
  ["the id as text", "none"],
  ["the id null", "none"],
  ["no id", "none"],
  ["no version", "none"],
  ["JSON-RPC 1.0 with error null", "none"],
  ["both result and error", "none"],
  ["neither result nor error", "none"],
  ["members beyond the standard", "any call"],
  ["a member missing", "none"],
  ["a reply twice", "none"],
];

/** Methods whose answer has a run that is waited for. */
const ofRuns = methodsWith(({ wait }) => wait);
const ofPages = methodsWith(({ pages }) => pages);
const runs: readonly (readonly [string, Remedy, object])[] = [
  ["a state nobody knows", "any call", { state: "QUERY_STATE_HIBERNATING" }],
  ["a state that is an object's name", "any call", { state: "constructor" }],
  ["a run without a state", "none", { state: null }],
  [
    "a failed run",
    "none",
    { state: "QUERY_STATE_FAILED", errorName: "X", errorMessage: "no table", errorData: { line: 1 } },
  ],
  ["a failed run without a reason", "none", { state: "QUERY_STATE_FAILED" }],
  ["a canceled run", "none", { state: "QUERY_STATE_CANCELED" }],
];

const pages: readonly (readonly [string, Fault])[] = [
  ["rows that are no array", { change: { rows: { "0": [1, "a"] } } }],
  ["rows without column names", { change: { columnNames: null } }],
  ["no rows where the page says some", { change: { rows: null, page: { totalRows: 5 } } }],
];

/** Errors of the contract, as the document shows them. */
const declared = Object.entries(document.components.errors).map(([name, error]): NamedFault => {
  const methods = Object.values(contract).filter(({ descriptor }) => Object.hasOwn(descriptor.errors, error.code));
  return {
    name: `error ${name}`,
    // A wait of no length, so that nobody waits for tests.
    fault: { error: name === "RateLimited" ? { ...error, data: { retryAfterMs: 0 } } : (error satisfies FaultError) },
    remedy: name === "RateLimited" ? "any call" : "none",
    methods: methods.map(({ descriptor }) => descriptor.name),
  };
});

/** Everything that can go wrong with one call, once. */
export const namedFaults: readonly NamedFault[] = [
  ...answers.map(([name, remedy, fault]) => ({ name, remedy, fault })),
  ...errors.map(([name, error]) => ({ name, remedy: "none" as const, fault: { error } })),
  ...misreplies.map(([name, remedy]) => ({ name, remedy, fault: { reply: name } })),
  ...runs.map(([name, remedy, queryRun]) => ({ name, remedy, fault: { change: { queryRun } }, methods: ofRuns })),
  ...pages.map(([name, fault]) => ({ name, remedy: "none" as const, fault, methods: ofPages })),
  ...declared,
];
