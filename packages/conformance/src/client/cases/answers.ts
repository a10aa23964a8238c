import type { AdversaryCase } from "../case.ts";
import { error, firstPage, html, looking, must, never, once, result } from "./asks.ts";

const nested = "[".repeat(100_000) + "]".repeat(100_000);
const body = (name: string, body: string, end: string) => looking(name, { body }, end, once);
const json = "content-type: application/json";

/** HTTP 200 with a body that is not, or not quite, the reply to the call. */
export const answerCases: readonly AdversaryCase[] = [
  body("the id of another call", '{"jsonrpc":"2.0","id":4711,"result":{result0}}', "protocol"),
  body("the id as text", '{"jsonrpc":"2.0","id":"{id0}","result":{result0}}', "right or protocol"),
  body("no id", '{"jsonrpc":"2.0","result":{result0}}', "right or protocol"),
  body("the id null", '{"jsonrpc":"2.0","id":null,"result":{result0}}', "right or protocol"),
  body("no version", '{"id":{id0},"result":{result0}}', "right or protocol"),
  body("JSON-RPC 1.0 with error null", '{"id":{id0},"result":{result0},"error":null}', "right or protocol"),
  body(
    "both result and error",
    '{"jsonrpc":"2.0","id":{id0},"result":{result0},"error":{"code":-32099,"message":"no"}}',
    "protocol or rpc -32099",
  ),
  body("neither result nor error", '{"jsonrpc":"2.0","id":{id0}}', "protocol"),
  body("the result null", result("null"), "wrong: null or protocol"),
  body("an array of one", "[{0}]", "right or protocol"),
  body("an empty array", "[]", "protocol"),
  body("an empty object", "{}", "protocol"),
  body("JSON null", "null", "protocol"),
  body("a JSON text", '"welcome"', "protocol"),
  body("an empty body", "", "protocol"),
  body("half of the JSON", '{"jsonrpc":"2.0","id":{id0},"resu', "protocol"),
  body("two replies after one another", "{0}{0}", "protocol"),
  body("a prefix against script inclusion", ")]}',\n{0}", "protocol"),
  body("a byte order mark", "\uFEFF{0}", "right or protocol"),
  { ...body("blanks and line ends around the reply", "\r\n\t {0} \r\n", "right"), ...must },
  body(
    "members beyond the standard",
    '{"jsonrpc":"2.0","id":{id0},"result":{result0},"took":3,"__proto__":{"error":{"code":1,"message":"no"}}}',
    "right",
  ),
  body("arrays nested a hundred thousand deep", nested, "protocol"),
  body("an error's data nested as deep", error(`{"code":-32099,"message":"no","data":${nested}}`), "rpc or protocol"),
  looking("a page for people", { body: html, headers: { "content-type": "text/html" } }, "protocol", once),
  looking("text/plain", { headers: { "content-type": "text/plain; charset=utf-8" } }, "right or protocol", once),
  looking("no content-type", { raw: "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{all}" }, "right or protocol"),
  looking("gzip that is none", { headers: { "content-encoding": "gzip" }, ...never }, "right or protocol or network"),
  {
    name: "the wrong character set",
    calls: [firstPage],
    faults: [{ raw: `HTTP/1.1 200 OK\r\n${json}; charset=iso-8859-1\r\ncontent-length: {length}\r\n\r\n{all}` }],
    ends: ["right or protocol"],
  },
];
