import { nearestWord } from "@quern/protocol/nearest-word";
import { type SchemaNode, validator } from "@quern/protocol/validator";

/** Schema of each member of an options object. */
type Members<Options> = Readonly<Record<keyof Options & string, SchemaNode>>;

/**
 * Creates a check of an options object, for callers without types.
 * @param name Function or option that takes the object, for the message.
 * @returns A function that throws a TypeError for a value that is not an object, an unknown member, and a member that
 * does not match its schema.
 */
export function memberCheck<Options extends object>(
  name: string,
  properties: Members<Options>,
): (value: Options) => void {
  const schema = validator<Options>({ type: "object", properties, additionalProperties: false });
  return (value) => {
    const [issue] = schema["~standard"].validate(value).issues ?? [];
    if (issue === undefined) return;
    const [member, ...deeper] = issue.path.map(String);
    const { expected, received } = issue;
    if (member === undefined) throw new TypeError(`${name}: expected ${expected}, got ${received}`);
    if (deeper.length === 0 && expected === "no such member")
      throw new TypeError(`${name}: unknown member ${member}; ${advice(member, Object.keys(properties))}`);
    const node = new Map<string, SchemaNode>(Object.entries(properties)).get(member);
    const choices = deeper.length === 0 && node !== undefined && "enum" in node ? node.enum : undefined;
    const given = new Map<string, unknown>(Object.entries(value)).get(member);
    const meant = choices && typeof given === "string" ? nearestWord(given, choices.map(String)) : undefined;
    const path = [member, ...deeper].join(".");
    const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
    throw new TypeError(`${name}: invalid ${path}: expected ${expected}, got ${received}${hint}`);
  };
}

/** Returns the advice for a wrong word: the nearest valid word, or all valid words. */
export function advice(word: string, words: readonly string[]): string {
  const meant = nearestWord(word, words);
  return meant === undefined ? `use one of ${words.join(", ")}` : `did you mean ${meant}?`;
}
