import { closingAt, codeOf, replaceInCode, splitList } from "./masked-sql.ts";

const flattenCall =
  /(,|\b(?:inner\s+|cross\s+|left\s+(?:outer\s+)?)?join\b)?(\s*)(?:lateral\s+flatten|(?:lateral\s+)?(table)\s*\(\s*flatten)\s*\(/i;

const aliasAfter =
  /^\s*(?:as\s+)?(?!(?:where|on|join|left|right|full|inner|cross|lateral|group|order|having|limit|qualify|union|except|minus|intersect|window)\b)([\p{L}_][\p{L}\p{N}_]*)/iu;

/** Rewrites `TABLE(GENERATOR(ROWCOUNT => …))` as a range, and `SEQ4()` as its number, if a statement has one generator. */
export function rewriteGenerator(sql: string): string {
  const pattern = /\btable\s*\(\s*generator\s*\(\s*rowcount\s*=>\s*(\d+)\s*\)\s*\)/i;
  const code = codeOf(sql, "duckdb");
  if ([...code.matchAll(new RegExp(pattern, "gi"))].length !== 1) return sql;
  let alias = "generated";
  const withRange = replaceInCode(sql, pattern, ({ 0: whole, 1: count, index }) => {
    const [text = "", name = alias] = aliasAfter.exec(code.slice(index + whole.length)) ?? [];
    alias = name;
    return { text: `range(${count}) as ${name}(seq)`, end: index + whole.length + text.length };
  });
  return replaceInCode(withRange, /\bseq[1248]\s*\(\s*\)/i, () => `${alias}.seq`);
}

/**
 * Rewrites `LATERAL FLATTEN(input => …)`, whose input is a list or JSON, with `json_each`. Its columns are `value`, which is JSON,
 * `key` and `index`. A call with `recursive` or `mode` stays.
 */
export function rewriteFlatten(sql: string): string {
  const aliases: string[] = [];
  const rewritten = replaceInCode(sql, flattenCall, (match, code) => {
    const [head, join = "", space, table] = match;
    const open = match.index + head.length - 1;
    const close = closingAt(code, open);
    const closing = table === undefined ? "" : (/^\s*\)/.exec(code.slice(close + 1))?.[0] ?? "");
    if (close < 0 || (table !== undefined && closing === "")) return undefined;
    const options = optionsOf(sql.slice(open + 1, close));
    if (options === undefined) return undefined;
    const after = close + 1 + closing.length;
    const [aliasText = "", alias = "f"] = aliasAfter.exec(code.slice(after)) ?? [];
    aliases.push(alias);
    const rows = `select value, "key", try_cast("key" as bigint) as index from json_each(to_json(${options.input}))`;
    const lead = options.outer && !/join/i.test(join) ? " left join" : join;
    const condition = options.outer && lead !== join ? " on true" : "";
    return { text: `${lead}${space || " "}lateral (${rows}) ${alias}${condition}`, end: after + aliasText.length };
  });
  return aliases.length === 0 ? sql : withTextValues(rewritten, aliases);
}

function optionsOf(text: string) {
  const options: Record<string, string> = {};
  for (const part of splitList(text)) {
    const [, name = "input", value = part] = /^(\w+)\s*=>\s*([\s\S]+)$/.exec(part) ?? [];
    options[name.toLowerCase()] = value;
  }
  const { input, path, outer = "false", ...others } = options;
  if (input === undefined || Object.keys(others).length > 0) return undefined;
  const isPlainPath = path === undefined || /^'[\w.]+'$/.test(path);
  if (!isPlainPath) return undefined;
  const json = path === undefined ? input : `to_json(${input}) -> '$.${path.slice(1, -1)}'`;
  return { input: json, outer: /^true$/i.test(outer) };
}

/** Casts and comparisons of Snowflake read the text of a JSON string; those of DuckDB would keep its quotes. */
function withTextValues(sql: string, aliases: readonly string[]): string {
  const value = String.raw`(?<![\w.$])((?:(?:${aliases.join("|")})\.)?value)`;
  const cast = new RegExp(String.raw`${value}(?=\s*::)(\s*::\s*(?:string|varchar|text)\b)?`, "iu");
  const compared = new RegExp(String.raw`${value}(?=\s*(?:=|<>|!=|(?:not\s+)?(?:i?like|in)\b))`, "iu");
  const asText = ([, name]: RegExpExecArray) => `(${name} ->> '$')`;
  return replaceInCode(replaceInCode(sql, cast, asText), compared, asText);
}
