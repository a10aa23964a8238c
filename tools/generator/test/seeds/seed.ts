import { pointerSegments } from "../../src/pointer.ts";

/** Document with one mistake, which is refused. */
export interface RefusedSeed {
  /** Values by JSON pointer that replace those of the base document; undefined removes one. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Changes the text of the document, for mistakes that no value expresses. */
  readonly text?: (json: string) => string;
  /** Pointer of each fault, and parts of its message: the mistake and the advice. */
  readonly faults: readonly (readonly [pointer: string, ...messages: readonly string[]])[];
}

/** Row of a table: change of the base document, and its only fault. */
export function refused(
  set: Readonly<Record<string, unknown>>,
  pointer: string,
  ...messages: readonly string[]
): RefusedSeed {
  return { set, faults: [[pointer, ...messages]] };
}

/** Row of a table: value of a member, at which the only fault is. */
export function wrong(pointer: string, value: unknown, ...messages: readonly string[]): RefusedSeed {
  return refused({ [pointer]: value }, pointer, ...messages);
}

/** Row of a table: member that is missing. The only fault is at the object around it. */
export function lacks(pointer: string, ...messages: readonly string[]): RefusedSeed {
  return refused({ [pointer]: undefined }, pointer.replace(/\/[^/]*$/, ""), ...messages);
}

const methods = [
  {
    name: "getItem",
    summary: "Read an item.",
    paramStructure: "by-position",
    "x-read-only": true,
    tags: [{ $ref: "#/components/tags/reading" }],
    params: [
      {
        name: "request",
        required: true,
        schema: {
          type: "object",
          properties: { id: { type: "string" }, wait: { type: "integer", minimum: 0, maximum: 50, default: 0 } },
          required: ["id"],
          additionalProperties: false,
        },
      },
    ],
    result: { name: "result", schema: { $ref: "#/components/schemas/Item" } },
    errors: [{ $ref: "#/components/errors/ItemNotFound" }, { code: -32011, message: "Store is closed" }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a runtime expression of OpenRPC
    links: [{ name: "again", method: "getItem", params: { request: { id: "${result.name}" } } }],
    examples: [
      {
        name: "a lamp",
        params: [{ name: "request", value: { id: "7" } }],
        result: { name: "result", value: { name: "lamp", state: "DONE" } },
      },
    ],
    "x-poll": {
      request: { id: "/id", wait: "/wait" },
      result: { state: "/state" },
      final: ["DONE", "LOST"],
      success: ["DONE"],
    },
  },
  {
    name: "listItems",
    "x-read-only": true,
    params: [{ name: "request", schema: { type: "object", properties: { size: { type: "integer", minimum: 1 } } } }],
    result: {
      name: "result",
      schema: {
        type: "object",
        properties: { items: { type: "array", items: { $ref: "#/components/schemas/Item" } } },
        required: ["items"],
      },
    },
    "x-page": { request: { size: "/size" }, result: { rows: "/items" } },
  },
  {
    name: "dropItem",
    params: [{ name: "request", schema: { type: "object", properties: { id: { type: "string" } } } }],
    result: { name: "result", schema: { type: "null" } },
    "x-cancels": { method: "getItem", request: { run: "/id" } },
  },
];

const base = {
  openrpc: "1.3.2",
  info: { title: "Items", version: "1.0.0" },
  methods,
  components: {
    schemas: {
      Item: {
        type: "object",
        properties: {
          name: { type: "string", description: "Its name." },
          state: { anyOf: [{ enum: ["DONE", "LOST", "BUSY"] }, { type: "string" }] },
        },
        required: ["name"],
      },
    },
    errors: { ItemNotFound: { code: -32010, message: "There is no such item" } },
    tags: { reading: { name: "reading" } },
  },
  "x-errors": { ItemNotFound: { description: "The item does not exist.", hint: "List the items." } },
  "x-known-error-codes": { "-32099": "NOT_FOUND" },
};

/** Returns the base document with other values at some pointers. */
export function documentWith(set: Readonly<Record<string, unknown>> = {}): object {
  const document: object = structuredClone(base);
  for (const [pointer, value] of Object.entries(set)) {
    const path = [...pointerSegments(pointer)];
    const last = path.pop() ?? "";
    const parent = path.reduce<unknown>((current, name) => Reflect.get(Object(current), name), document);
    if (typeof parent !== "object" || parent === null) throw new Error(`there is nothing at ${pointer}`);
    Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return document;
}

/** Returns the text of the document of a seed. */
export function textOf({ set, text = (json) => json }: Pick<RefusedSeed, "set" | "text">): string {
  return text(JSON.stringify(documentWith(set)));
}
