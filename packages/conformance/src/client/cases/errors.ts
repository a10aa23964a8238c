import type { AdversaryCase } from "../case.ts";
import { beyondRate, error, looking, once } from "./asks.ts";

const answered = (name: string, json: string, end: string) => looking(name, { body: error(json) }, end, once);
const declared = (data: string) => `{"code":-32099,"message":"no such run","data":${data}}`;

/** Errors of the method, and what servers take for one. */
export const errorCases: readonly AdversaryCase[] = [
  answered("a declared error", declared('{"queryRunId":"a"}'), "rpc -32099"),
  answered("an error without data", '{"code":-32099,"message":"no such run"}', "rpc -32099"),
  answered("data null", declared("null"), "rpc -32099"),
  answered("data a text", declared('"a"'), "rpc -32099"),
  answered("data an array", declared("[[],{},0]"), "rpc -32099"),
  answered("data with an object's names", declared('{"__proto__":1,"toString":2,"constructor":3}'), "rpc -32099"),
  answered("invalid params with odd issues", '{"code":-32602,"message":"no","data":{"issues":7}}', "rpc -32602"),
  answered("another method's code", '{"code":-32170,"message":"too large","data":{}}', "undeclared -32170"),
  answered("a code nobody knows", '{"code":-31337,"message":"?"}', "undeclared -31337"),
  answered("a positive code", '{"code":500,"message":"?"}', "undeclared 500"),
  answered("a code that is an object's name", '{"code":"constructor","message":"?"}', "protocol"),
  answered("a code as text", '{"code":"-32099","message":"no such run"}', "rpc -32099 or protocol"),
  answered("a code null", '{"code":null,"message":"no such run"}', "protocol"),
  answered("no code", '{"message":"no such run"}', "protocol"),
  answered("an empty message", '{"code":-32099,"message":""}', "rpc -32099"),
  answered("no message", '{"code":-32099}', "rpc -32099 or protocol"),
  answered("a message that is no text", '{"code":-32099,"message":{"text":"no"}}', "rpc -32099 or protocol"),
  answered("an error that is a text", '"no such run"', "protocol"),
  answered("an error that is an array", '[-32099,"no such run"]', "protocol"),
  answered("an error that is true", "true", "protocol"),
  looking(
    "an error for no id",
    { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}' },
    "rpc -32603 or undeclared -32603",
    once,
  ),
  looking("a rate limit inside HTTP 200", { body: error(beyondRate) }, "right or rpc -32029"),
];
