import type { AdversaryCase } from "../case.ts";
import { always, error, firstPage, html, must, pollCase, result, sentOnce } from "./requests.ts";

const nested = "[".repeat(100_000) + "]".repeat(100_000);
const body = (name: string, body: string, end: string) => pollCase(name, { body }, end, sentOnce);
const json = "content-type: application/json";

/** HTTP 200 with a body, content type or encoding that is invalid or unusual. */
export const answerCases: readonly AdversaryCase[] = [
  body("id of another call", '{"jsonrpc":"2.0","id":4711,"result":{result0}}', "protocol"),
  body("id as a string", '{"jsonrpc":"2.0","id":"{id0}","result":{result0}}', "right or protocol"),
  body("missing id", '{"jsonrpc":"2.0","result":{result0}}', "right or protocol"),
  body("id null", '{"jsonrpc":"2.0","id":null,"result":{result0}}', "right or protocol"),
  body("missing jsonrpc", '{"id":{id0},"result":{result0}}', "right or protocol"),
  body("JSON-RPC 1.0 with error null", '{"id":{id0},"result":{result0},"error":null}', "right or protocol"),
  body(
    "both result and error",
    '{"jsonrpc":"2.0","id":{id0},"result":{result0},"error":{"code":-32099,"message":"no"}}',
    "protocol or rpc -32099",
  ),
  body("neither result nor error", '{"jsonrpc":"2.0","id":{id0}}', "protocol"),
  body("result null", result("null"), "wrong: null or protocol"),
  body("array of one response", "[{0}]", "right or protocol"),
  body("empty array", "[]", "protocol"),
  body("empty object", "{}", "protocol"),
  body("JSON null", "null", "protocol"),
  body("JSON string", '"welcome"', "protocol"),
  body("empty body", "", "protocol"),
  body("truncated JSON", '{"jsonrpc":"2.0","id":{id0},"resu', "protocol"),
  body("two responses in one body", "{0}{0}", "protocol"),
  body("anti-hijacking prefix", ")]}',\n{0}", "protocol"),
  body("byte order mark", "\uFEFF{0}", "right or protocol"),
  { ...body("whitespace around the response", "\r\n\t {0} \r\n", "right"), ...must },
  body(
    "members that JSON-RPC does not define",
    '{"jsonrpc":"2.0","id":{id0},"result":{result0},"took":3,"__proto__":{"error":{"code":1,"message":"no"}}}',
    "right",
  ),
  body("deeply nested arrays", nested, "protocol"),
  body("deeply nested error data", error(`{"code":-32099,"message":"no","data":${nested}}`), "rpc or protocol"),
  pollCase("HTML page", { body: html, headers: { "content-type": "text/html" } }, "protocol", sentOnce),
  pollCase(
    "content type text/plain",
    { headers: { "content-type": "text/plain; charset=utf-8" } },
    "right or protocol",
    sentOnce,
  ),
  pollCase(
    "missing content type",
    { raw: "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{all}" },
    "right or protocol",
  ),
  pollCase(
    "content encoding gzip of plain text",
    { headers: { "content-encoding": "gzip" }, ...always },
    "right or protocol or network",
  ),
  {
    name: "wrong charset",
    calls: [firstPage],
    faults: [{ raw: `HTTP/1.1 200 OK\r\n${json}; charset=iso-8859-1\r\ncontent-length: {length}\r\n\r\n{all}` }],
    endings: ["right or protocol"],
  },
];
