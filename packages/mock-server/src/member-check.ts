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

/**
 * Returns the word at the smallest edit distance; undefined if every word differs in more than a third of its letters,
 * rounded up.
 */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const [nearest] = words
    .map((one) => ({ one, edits: editDistance(word.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.ceil(one.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.one;
}

/** Counts the letters to insert, delete, replace or swap with their neighbor (optimal string alignment distance). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced, swapped));
    }
  }
  return cell(a.length, b.length);
}
