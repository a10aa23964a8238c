import type { AdversaryCase } from "../case.ts";
import { error, pollCase, rateLimited, sentOnce } from "./requests.ts";

const answered = (name: string, json: string, end: string) => pollCase(name, { body: error(json) }, end, sentOnce);
const declared = (data: string) => `{"code":-32099,"message":"no such run","data":${data}}`;

/** Declared, undeclared and malformed errors in HTTP 200. */
export const errorCases: readonly AdversaryCase[] = [
  answered("declared error", declared('{"queryRunId":"a"}'), "rpc -32099"),
  answered("error without data", '{"code":-32099,"message":"no such run"}', "rpc -32099"),
  answered("error data null", declared("null"), "rpc -32099"),
  answered("error data as a string", declared('"a"'), "rpc -32099"),
  answered("error data as an array", declared("[[],{},0]"), "rpc -32099"),
  answered("error data with inherited names", declared('{"__proto__":1,"toString":2,"constructor":3}'), "rpc -32099"),
  answered("invalid params with malformed issues", '{"code":-32602,"message":"no","data":{"issues":7}}', "rpc -32602"),
  answered("error code of another method", '{"code":-32170,"message":"too large","data":{}}', "undeclared -32170"),
  answered("unknown error code", '{"code":-31337,"message":"?"}', "undeclared -31337"),
  answered("positive error code", '{"code":500,"message":"?"}', "undeclared 500"),
  answered("error code with an inherited name", '{"code":"constructor","message":"?"}', "protocol"),
  answered("error code as a string", '{"code":"-32099","message":"no such run"}', "rpc -32099 or protocol"),
  answered("error code null", '{"code":null,"message":"no such run"}', "protocol"),
  answered("missing error code", '{"message":"no such run"}', "protocol"),
  answered("empty error message", '{"code":-32099,"message":""}', "rpc -32099"),
  answered("missing error message", '{"code":-32099}', "rpc -32099 or protocol"),
  answered("error message as an object", '{"code":-32099,"message":{"text":"no"}}', "rpc -32099 or protocol"),
  answered("error as a string", '"no such run"', "protocol"),
  answered("error as an array", '[-32099,"no such run"]', "protocol"),
  answered("error true", "true", "protocol"),
  pollCase(
    "error with id null",
    { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}' },
    "rpc -32603 or undeclared -32603",
    sentOnce,
  ),
  pollCase("rate limit in HTTP 200", { body: error(rateLimited) }, "right or rpc -32029"),
];
