import type { SchemaNode } from "./model.ts";

/** What a schema demands beyond its type, for people: `Unit: seconds. From 0 to 50.` */
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

/** A text as code in Markdown, in more backticks than it has itself. */
export function codeSpan(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  return text.startsWith("`") || text.endsWith("`") ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`;
}

/** The length of the longest run of backticks in a text. */
export function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function range(least: number | string | undefined, most: number | string | undefined, what: string): string {
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}${what}.`;
  if (most !== undefined) return `At most ${most}${what}.`;
  if (least === undefined) return "";
  return least === 1 && what !== "" ? "Not empty." : `At least ${least}${what}.`;
}

/** The same with the default: `Unit: seconds. At least 0, at most 50. Default: 0.` */
export function constraintText(schema: SchemaNode): string {
  const fallback = schema.default === undefined ? "" : `Default: ${JSON.stringify(schema.default.value)}.`;
  return [limitText(schema), fallback].filter((sentence) => sentence !== "").join(" ");
}
