import { lacks, type RefusedSeed, refused, wrong } from "./seed.ts";

const get = "/methods/0";
const params = `${get}/params/0`;

/** Mistakes in a method: in its params, and in its references to other methods. */
export const methodSeeds: readonly RefusedSeed[] = [
  refused(
    { "/methods/2/params/1": { name: "b", schema: true } },
    "/methods/2/params",
    "exactly one parameter, an object, got 2",
    "one object with all params as members",
  ),
  refused(
    { "/methods/2/params": [], "/methods/2/x-cancels": undefined },
    "/methods/2/params",
    "exactly one parameter",
    "got 0",
  ),
  wrong(`${params}/required`, false, "always sent", "make its members optional"),
  wrong(`${get}/paramStructure`, "by-name", "by name are not supported", "write by-position"),
  refused(
    { "/methods/2/params/0/schema": { type: "string" }, "/methods/2/x-cancels": undefined },
    "/methods/2/params/0/schema",
    "must be an object",
  ),
  refused(
    { "/methods/2/params/0/schema/type": ["object", "null"] },
    "/methods/2/params/0/schema",
    'describe one by "type": "object"',
  ),
  lacks("/methods/2/result", "must describe its result"),
  wrong(
    "/methods/2/params/0",
    { $ref: "#/components/contentDescriptors/X" },
    "cannot be a reference",
    "write it in place",
  ),
  wrong("/methods/2/name", "42", "gives no name in TypeScript", "begin it with a letter"),
  wrong("/methods/2/name", "__proto__", "is a member of every JavaScript object"),
  wrong("/methods/2/name", "constructor", "is a member of every JavaScript object", "rename"),
  wrong("/methods/2/name", "rpc.drop", "JSON-RPC reserves", "rename"),
  wrong(`${get}/tags/0/$ref`, "#/components/tags/raeding", "unknown tag: raeding", 'did you mean "reading"?'),
  wrong(`${get}/tags/0/$ref`, "#/components/schemas/Item", "must begin with #/components/tags/"),
  wrong(`${get}/links/0/method`, "getItme", "unknown method: getItme", 'did you mean "getItem"?'),
  lacks(`${get}/links/0/method`, "missing method of the link"),
  refused(
    { [`${get}/links/0/params/request`]: { di: "7" } },
    `${get}/links/0/params/request/di`,
    "GetItemParams has no member di",
    "use one of id",
  ),
  wrong(`${get}/links/0/params/request/id`, `$${"{result.nmae}"}`, "Item has no member nmae", 'did you mean "name"?'),
  wrong(`${get}/links/0/params`, { id: "7" }, "an object named request"),
  wrong(`${get}/x-pol`, {}, 'did you mean "x-poll"?'),
  refused(
    { [`${get}/x-poll/request`]: { id: "/id", wiat: "/wait" } },
    `${get}/x-poll/request/wiat`,
    'did you mean "wait"?',
  ),
  wrong(`${get}/x-poll/result`, { error: "/name" }, 'missing pointer: "state"; add the pointer'),
  wrong(`${get}/x-poll/result/state`, "/sate", "Item has no member sate", 'did you mean "state"?'),
  refused(
    { [`${get}/x-poll/final`]: ["DONE", "LOTS"] },
    `${get}/x-poll/final/1`,
    '"LOTS" is not a state',
    'did you mean "LOST"?',
  ),
  refused(
    { [`${get}/x-poll/success`]: ["DOEN"] },
    `${get}/x-poll/success/0`,
    '"DOEN" is not final',
    'did you mean "DONE"?',
  ),
  wrong(`${get}/x-poll`, { request: {} }, "x-poll needs"),
  wrong("/methods/1/x-pgae", {}, 'did you mean "x-page"?'),
  refused({ "/methods/1/x-page/request": { siez: "/size" } }, "/methods/1/x-page/request/siez", 'did you mean "size"?'),
  wrong("/methods/1/x-page/request/size", "/siez", "has no member siez"),
  refused(
    { "/methods/1/params/0/schema/properties/name": { type: "string" }, "/methods/1/x-page/request/size": "/name" },
    "/methods/1/x-page/request/size",
    "the member name has the type string; name one with the type integer",
  ),
  refused(
    {
      "/methods/1/result/schema/properties/total": { type: "integer" },
      "/methods/1/x-page/result/rows": "/total",
    },
    "/methods/1/x-page/result/rows",
    "the member total has the type integer; name one with the type array",
  ),
  wrong(
    `${get}/x-poll/request/wait`,
    "/id",
    "the member id has the type string; name one with the type integer or number",
  ),
  refused({ "/methods/1/x-page/request/size": "size" }, "/methods/1/x-page/request", "begin each with /"),
  wrong("/methods/2/x-cancel", {}, 'did you mean "x-cancels"?'),
  wrong("/methods/2/x-cancels/method", "getItme", 'did you mean "getItem"?'),
  wrong("/methods/2/x-cancels/request/run", "/di", "use one of id"),
  wrong("/methods/2/x-read-only", "yes", "must be true or false, got", "write true if"),
  wrong("/methods/2/x-read-only", true, "is not read-only", "remove x-read-only"),
  wrong(`${get}/x-read-only`, false, "called repeatedly", 'add "x-read-only": true'),
];
