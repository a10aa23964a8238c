import { closingAt, replaceInCode, splitList } from "./masked-sql.ts";

const types: readonly (readonly [pattern: string, type: string])[] = [
  ["double\\s+precision|float[48]?|real", "double"],
  ["int|integer", "hugeint"],
  ["number|numeric|decimal|dec", "decimal(38, 0)"],
  ["timestamp_?ntz|datetime", "timestamp"],
  ["timestamp_?l?tz", "timestamptz"],
];

/** Types of casts, of which some hold fewer digits in DuckDB. */
function rewriteTypes(sql: string): string {
  return types.reduce(
    (text, [pattern, type]) =>
      replaceInCode(
        text,
        new RegExp(String.raw`(::\s*|\bas\s+)(?:${pattern})\b(?:\s*\(([\d\s,]*)\))?(?=(\s*\))?)`, "i"),
        ([, lead = "", digits, end]) => {
          if (!lead.startsWith("::") && end === undefined) return undefined; // a column, not a type
          return `${lead}${digits !== undefined && type.startsWith("decimal") ? `decimal(${digits})` : type}`;
        },
      ),
    sql,
  );
}

const value = String.raw`(?:[\p{L}\p{N}_.$]|"_*")+(?:\([^()]*\))?`;

/** `name ILIKE ANY ('%a%', '%b%')` and the like. */
function rewriteLikeAny(sql: string): string {
  const pattern = new RegExp(String.raw`(${value})\s+(not\s+)?(i?like)\s+(any|all)\s*\(`, "iu");
  return replaceInCode(sql, pattern, (match, code) => {
    const [head, left = "", not = "", like = "", kind = ""] = match;
    const open = match.index + head.length - 1;
    const close = closingAt(code, open);
    if (close < 0) return undefined;
    const operandText = sql.slice(match.index, match.index + left.length);
    const tests = splitList(sql.slice(open + 1, close)).map((each) => `${operandText} ${like} ${each}`);
    const whole = `(${tests.join(/any/i.test(kind) ? " or " : " and ")})`;
    return { text: not === "" ? whole : `(not ${whole})`, end: close + 1 };
  });
}

function rewriteRegexpOperator(sql: string): string {
  const pattern = new RegExp(String.raw`(${value})\s+(not\s+)?(?:rlike|regexp)\s+('_*'|${value})`, "iu");
  return replaceInCode(sql, pattern, ({ 0: whole, 1: left = "", 2: not = "", 3: right = "", index }) => {
    const text = sql.slice(index, index + left.length);
    const regexp = sql.slice(index + whole.length - right.length, index + whole.length);
    return `${not}regexp_full_match(${text}, ${regexp})`;
  });
}

const joinEnd =
  /[([]|[)\];,]|\b(?:on|using|join|where|group|order|limit|qualify|having|union|except|intersect|left|right|full|inner|cross|natural|window)\b/giu;

/** Adds CROSS to a join without a condition. */
function rewriteBareJoins(sql: string): string {
  return replaceInCode(sql, /(?<before>\b\w+\s+)?\bjoin\b/iu, (match, code) => {
    const { before = "" } = match.groups ?? {};
    if (/^(?:left|right|full|outer|cross|natural|asof|positional|semi|anti)\s/i.test(before)) return undefined;
    joinEnd.lastIndex = match.index + match[0].length;
    for (let found = joinEnd.exec(code); found !== null; found = joinEnd.exec(code)) {
      if (found[0] === "(" || found[0] === "[") {
        const close = closingAt(code, found.index);
        if (close < 0) return undefined;
        joinEnd.lastIndex = close + 1;
      } else if (/^(?:on|using)$/i.test(found[0])) return undefined;
      else break;
    }
    const kept = /^inner\s/i.test(before) ? "" : sql.slice(match.index, match.index + before.length);
    return `${kept}cross join`;
  });
}

/** Parts of a split text are numbered from 0 in Snowflake. */
function rewriteSplitIndexes(sql: string): string {
  return replaceInCode(sql, /\bsplit\s*\(/i, (match, code) => {
    const close = closingAt(code, match.index + match[0].length - 1);
    const [index, digits] = /^\[(\d+)\]/.exec(code.slice(close + 1)) ?? [];
    if (close < 0 || index === undefined) return undefined;
    const end = close + 1 + index.length;
    return { text: `list_extract(${sql.slice(match.index, close + 1)}, ${Number(digits) + 1})`, end };
  });
}

/** Rewrites types, operators and clauses of Snowflake. */
export function rewritePhrases(sql: string): string {
  const withExcept = replaceInCode(sql, /\bminus\b(?=\s+\(*\s*(?:select|with)\b)/i, () => "except");
  const withNulls = replaceInCode(
    withExcept,
    /\)\s+(ignore|respect)\s+nulls(?=\s+over\b)/i,
    ([, kind]) => ` ${kind} nulls)`,
  );
  const sorted = replaceInCode(
    withNulls,
    /\bdesc\b(?!\s+nulls\b)(?=\s*(?:[,);]|$|(?:limit|offset|rows|range|union|qualify)\b))/i,
    ([word]) => `${word} nulls first`,
  );
  return rewriteSplitIndexes(rewriteTypes(rewriteBareJoins(rewriteRegexpOperator(rewriteLikeAny(sorted)))));
}
