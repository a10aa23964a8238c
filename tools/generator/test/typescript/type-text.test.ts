import { describe, expect, it } from "vitest";
import { createFaults } from "../../src/faults.ts";
import type { Reading } from "../../src/reading.ts";
import { readSchema } from "../../src/schema-reader.ts";
import { typeText } from "../../src/typescript/type-text.ts";

const table: readonly (readonly [what: string, given: unknown, want: string])[] = [
  ["a string", { type: "string" }, "string"],
  ["an integer", { type: "integer", minimum: 1 }, "number"],
  ["what may be null", { type: ["string", "null"] }, "string | null"],
  ["two kinds of number", { type: ["integer", "number"] }, "number"],
  ["anything", {}, "unknown"],
  ["anything, written true", true, "unknown"],
  ["a constant", { const: "x" }, '"x"'],
  ["an enumeration", { type: "string", enum: ["asc", "desc"] }, '"asc" | "desc"'],
  ["an open enumeration", { anyOf: [{ enum: ["A"] }, { type: "string" }] }, '"A" | (string & {})'],
  ["a reference", { $ref: "#/components/schemas/Note" }, "Note"],
  ["a reference or null", { anyOf: [{ $ref: "#/components/schemas/Note" }, { type: "null" }] }, "Note | null"],
  ["a list", { type: "array", items: { type: "string" } }, "readonly string[]"],
  ["a list of alternatives", { type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
  ["a list of lists", { type: "array", items: { type: "array" } }, "readonly (readonly unknown[])[]"],
  ["a map", { type: "object", additionalProperties: { type: "string" } }, "Readonly<Record<string, string>>"],
  [
    "a map of references, which may refer to the schema itself",
    { type: "object", additionalProperties: { anyOf: [{ $ref: "#/components/schemas/Note" }, { type: "null" }] } },
    "{ readonly [name: string]: Note | null }",
  ],
  ["an object of anything", { type: "object" }, "Readonly<Record<string, unknown>>"],
  ["an object of nothing", { type: "object", additionalProperties: false }, "Readonly<Record<string, never>>"],
  [
    "an object in place",
    {
      type: "object",
      properties: { "a-b": { type: "string", description: "Ends */ here." }, c: { type: "number" } },
      required: ["c"],
    },
    '{\n  /** Ends *\\/ here. */\n  readonly "a-b"?: string | undefined;\n  readonly c: number;\n}',
  ],
];

const reading: Reading = {
  faults: createFaults(),
  reference: (reference) => String(reference).split("/").at(-1),
  isEndless: () => false,
  nameSchema: (_schema, _pointer, fallback) => fallback,
};

describe("the type of", () => {
  it.each(table)("%s", (_, given, want) => expect(typeText(readSchema(given, "/x", reading))).toBe(want));
});
