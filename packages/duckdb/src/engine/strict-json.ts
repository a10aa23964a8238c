/** Matches what the engine accepts in JSON beyond the standard, and some text in strings. */
const beyondJson = "(?i)(?:^|[\\[,:\\s])[-+]?(?:nan|inf|\\.\\d)|,\\s*[\\]}]";

/** Replacements outside of strings. NaN and the infinities become strings, as on a page. */
const corrections: readonly (readonly [pattern: string, by: string])[] = [
  ["(?i)[-+]?\\bnan\\b", '"NaN"'],
  ["(?i)-inf(?:inity)?\\b", '"-Infinity"'],
  ["(?i)(^|[\\[,:\\s])\\+?inf(?:inity)?\\b", '\\1"Infinity"'],
  ["(^|[\\[,:\\s-])\\.", "\\10."],
  [",(\\s*[\\]}])", "\\1"],
];

/**
 * Returns SQL for JSON of the standard: its strings as they are, and the text between them corrected. The engine accepts and
 * writes more, which other readers and JavaScript refuse.
 */
export function strictJson(cell: string): string {
  const text = `CAST(${cell} AS VARCHAR)`;
  const corrected = corrections.reduce(
    (sql, [pattern, by]) => `regexp_replace(${sql}, '${pattern}', '${by}', 'g')`,
    "p",
  );
  const pieces = `regexp_extract_all(${text}, '"(?:[^"\\\\]|\\\\.)*"|[^"]+')`;
  const strict = `array_to_string(list_transform(${pieces}, lambda p: CASE WHEN p[1] = '"' THEN p ELSE ${corrected} END), '')`;
  return `CASE WHEN regexp_matches(${text}, '${beyondJson}') THEN CAST(${strict} AS JSON) ELSE CAST(${cell} AS JSON) END`;
}
