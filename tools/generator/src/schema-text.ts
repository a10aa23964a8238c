import type { SchemaNode } from "./model.ts";

/** Describes the limits of a schema: `Unit: seconds. From 0 to 50.` */
export function limitText(schema: SchemaNode): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, minProperties, maxProperties, pattern } =
    schema.limits;
  const limits = [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    range(minProperties, maxProperties, " members"),
    pattern === undefined ? "" : `Matches ${codeSpan(String(pattern))}.`,
  ];
  return [schema.unit === undefined ? "" : `Unit: ${schema.unit}.`, ...limits]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

/** Returns a text as a Markdown code span, with more backticks than it contains. */
export function codeSpan(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  return text.startsWith("`") || text.endsWith("`") ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`;
}

/** Returns the length of the longest run of backticks in a text. */
export function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function range(minimum: number | string | undefined, maximum: number | string | undefined, unit: string): string {
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}${unit}.`;
  if (maximum !== undefined) return `At most ${maximum}${unit}.`;
  if (minimum === undefined) return "";
  return minimum === 1 && unit !== "" ? "Not empty." : `At least ${minimum}${unit}.`;
}

/** Describes the limits and the default of a schema: `Unit: seconds. From 0 to 50. Default: 0.` */
export function constraintText(schema: SchemaNode): string {
  const fallback = schema.default === undefined ? "" : `Default: ${JSON.stringify(schema.default.value)}.`;
  return [limitText(schema), fallback].filter((sentence) => sentence !== "").join(" ");
}
