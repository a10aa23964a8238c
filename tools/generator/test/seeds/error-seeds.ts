import { type RefusedSeed, refused } from "./seed.ts";

const get = "/methods/0";
const inline = (code: number, message: string) => ({ code, message });

/** Mistakes in errors and examples. */
export const errorSeeds: readonly RefusedSeed[] = [
  refused(
    "misspells an error",
    { [`${get}/errors/0/$ref`]: "#/components/errors/ItemNotFonud" },
    `${get}/errors/0/$ref`,
    "unknown error: ItemNotFonud",
    'did you mean "ItemNotFound"?',
  ),
  refused(
    "lists an error twice",
    { [`${get}/errors/1`]: { $ref: "#/components/errors/ItemNotFound" } },
    `${get}/errors/1`,
    "listed twice",
    "remove one",
  ),
  refused(
    "has two errors of one code",
    { [`${get}/errors/1/code`]: -32010 },
    `${get}/errors/1`,
    "already that of ItemNotFound at #/components/errors/ItemNotFound",
    "a code of its own",
  ),
  refused(
    "has two declared errors of one code",
    { "/components/errors/Gone": inline(-32010, "It is gone") },
    "/components/errors/Gone",
    "the code -32010 of Gone is already that of ItemNotFound",
  ),
  refused(
    "has two errors of one message in place",
    { [`${get}/errors/2`]: inline(-32012, "Store is closed") },
    `${get}/errors/2`,
    "is named StoreIsClosed by its message",
    "a message of its own",
  ),
  refused(
    "explains an error that is not declared",
    { "/x-errors/ItmeNotFound": {} },
    "/x-errors/ItmeNotFound",
    "not an error of components/errors",
    'did you mean "ItemNotFound"?',
  ),
  refused(
    "misspells a member of x-errors",
    { "/x-errors/ItemNotFound/htpStatus": 404 },
    "/x-errors/ItemNotFound/htpStatus",
    'did you mean "httpStatus"?',
  ),
  refused(
    "has an HTTP status that is no number",
    { "/x-errors/ItemNotFound/httpStatus": "404" },
    "/x-errors/ItemNotFound/httpStatus",
    "must be of type number, got",
    "correct or remove it",
  ),
  refused(
    "names a code that is no number",
    { "/x-known-error-codes/first": "NOT_FOUND" },
    "/x-known-error-codes/first",
    "a whole number",
  ),
  refused(
    "has an example with a wrong member",
    { [`${get}/examples/0/params/0/value`]: { id: "7", wiat: 1 } },
    `${get}/examples/0/params/0/value/wiat`,
    'did you mean "wait"?',
  ),
  refused(
    "has an example with a wrong result",
    { [`${get}/examples/0/result/value/name`]: 7 },
    `${get}/examples/0/result/value/name`,
    "must be string",
  ),
  refused(
    "has an example without a parameter",
    { [`${get}/examples/0/params`]: [] },
    `${get}/examples/0/params`,
    "exactly one parameter",
  ),
  refused(
    "has a pattern that no made-up value fits",
    { "/methods/2/result/schema": { type: "string", pattern: "^a+$" } },
    "/methods/2/result/schema",
    "no value that fits",
    "add an example of the result",
  ),
  refused(
    "has an example of error data that breaks its schema",
    {
      "/components/errors/ItemNotFound/data": { id: 7 },
      "/x-errors/ItemNotFound/data": { type: "object", properties: { id: { type: "string" } } },
    },
    "/components/errors/ItemNotFound/data/id",
    "must be string",
  ),
];
