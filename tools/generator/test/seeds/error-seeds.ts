import { type RefusedSeed, refused, wrong } from "./seed.ts";

const get = "/methods/0";
const inline = (code: number, message: string) => ({ code, message });

/** Mistakes in errors and examples. */
export const errorSeeds: readonly RefusedSeed[] = [
  wrong(
    `${get}/errors/0/$ref`,
    "#/components/errors/ItemNotFonud",
    "unknown error: ItemNotFonud",
    'did you mean "ItemNotFound"?',
  ),
  wrong(`${get}/errors/1`, { $ref: "#/components/errors/ItemNotFound" }, "listed twice", "remove one"),
  refused(
    { [`${get}/errors/1/code`]: -32010 },
    `${get}/errors/1`,
    "already that of ItemNotFound at #/components/errors/ItemNotFound",
    "a code of its own",
  ),
  wrong(
    "/components/errors/Gone",
    inline(-32010, "It is gone"),
    "the code -32010 of Gone is already that of ItemNotFound",
  ),
  wrong(
    `${get}/errors/2`,
    inline(-32012, "Store is closed"),
    "is named StoreIsClosed by its message",
    "a message of its own",
  ),
  wrong("/x-errors/ItmeNotFound", {}, "not an error of components/errors", 'did you mean "ItemNotFound"?'),
  wrong("/x-errors/ItemNotFound/htpStatus", 404, 'did you mean "httpStatus"?'),
  wrong("/x-errors/ItemNotFound/httpStatus", "404", "must be of type number, got", "correct or remove it"),
  wrong("/x-known-error-codes/first", "NOT_FOUND", "a whole number"),
  refused(
    { [`${get}/examples/0/params/0/value`]: { id: "7", wiat: 1 } },
    `${get}/examples/0/params/0/value/wiat`,
    'did you mean "wait"?',
  ),
  wrong(`${get}/examples/0/result/value/name`, 7, "must be string"),
  wrong(`${get}/examples/0/params`, [], "exactly one parameter"),
  wrong(
    "/methods/2/result/schema",
    { type: "string", pattern: "^a+$" },
    "no value that fits",
    "add an example of the result",
  ),
  refused(
    {
      "/components/errors/ItemNotFound/data": { id: 7 },
      "/x-errors/ItemNotFound/data": { type: "object", properties: { id: { type: "string" } } },
    },
    "/components/errors/ItemNotFound/data/id",
    "must be string",
  ),
];
