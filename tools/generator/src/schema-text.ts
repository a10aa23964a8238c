import type { SchemaNode } from "./model.ts";

const limitTexts: readonly (readonly [keyword: string, before: string, after: string])[] = [
  ["minimum", "at least ", ""],
  ["maximum", "at most ", ""],
  ["minLength", "at least ", " characters"],
  ["maxLength", "at most ", " characters"],
  ["minItems", "at least ", " items"],
  ["maxItems", "at most ", " items"],
  ["minProperties", "at least ", " members"],
  ["maxProperties", "at most ", " members"],
  ["pattern", "matches `", "`"],
];

/** What a schema demands beyond its type, for people: `Unit: seconds. At least 0, at most 50. Default: 0.` */
export function constraintText(schema: SchemaNode): string {
  const limits = limitTexts.flatMap(([keyword, before, after]) =>
    schema.limits[keyword] === undefined ? [] : [`${before}${schema.limits[keyword]}${after}`],
  );
  const sentences = [
    schema.unit === undefined ? "" : `Unit: ${schema.unit}.`,
    limits.length === 0 ? "" : `${capital(limits.join(", "))}.`,
    schema.default === undefined ? "" : `Default: ${JSON.stringify(schema.default.value)}.`,
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
