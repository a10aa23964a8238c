import { codeOf, type Dialect, withoutComments } from "./masked-sql.ts";

/** Construct that DuckDB accepts, and that has another value than in Snowflake. */
interface DifferenceRule {
  readonly id: string;
  /** Matches the construct, in a text whose strings have only `_`. */
  readonly pattern: RegExp;
  /** Matches in the text with its strings. */
  readonly readsStrings?: true;
  /** The repairs of a statement remove the difference, although the pattern matches what they write. */
  readonly isRepaired?: true;
  readonly text: string;
}

const castTo = (types: string, end = "") =>
  new RegExp(String.raw`::\s*(?:${types})\b${end}|\bas\s+(?:${types})\b${end}(?=\s*\))`, "i");

/** Each rule has its example in the guide to old clients, whose values a test reads from DuckDB. */
const differenceRules: readonly DifferenceRule[] = [
  {
    id: "path",
    pattern: /(?<=[\p{L}\p{N}_"\])]):(?=[\p{L}_"])/u,
    text: "`data:name` is the column `name` under the alias `data`; write `data->>'name'`",
  },
  {
    id: "json-key",
    pattern: /(?<=[\p{L}\p{N}_"\])])\[\s*'_*'\s*\]/u,
    text: "`data['name']` cast to text keeps the quotes of a JSON string; write `data->>'name'`",
  },
  {
    id: "list-index",
    pattern: /(?<=[\p{L}\p{N}_"\])])\[\s*\d+\s*\]/u,
    text: "lists are numbered from 1, not from 0; an element of JSON is, but keeps its quotes as text: write `data->>0`",
  },
  {
    id: "nulls-order",
    pattern: /\bdesc\b(?!\s+nulls\b)(?=\s*(?:[,);]|$|(?:limit|offset|rows|range|union|qualify)\b))/i,
    text: "a descending order has NULLs last, not first; write `desc nulls first`",
  },
  {
    id: "float",
    pattern: castTo("float4?|real"),
    text: "FLOAT has 32 bits, about 7 digits, not 64 bits; write `::double`",
  },
  {
    id: "integer",
    pattern: castTo("int|integer"),
    text: "INTEGER has 32 bits, so that greater values fail when the statement runs; write `::hugeint`",
  },
  {
    id: "decimal",
    pattern: castTo("decimal|numeric|dec", String.raw`(?!\s*\()`),
    text: "DECIMAL without digits keeps 3 decimal places, not none; write `::decimal(38, 0)`",
  },
  {
    id: "division",
    pattern: /\/(?!\s*(?:[1-9]|0?\.\d|nullif\b|pow(?:er)?\s*\())/i,
    text: "a division by zero returns infinity or NaN instead of failing; its quotient is a DOUBLE",
  },
  {
    id: "extreme",
    isRepaired: true,
    pattern: /\b(?:greatest|least)\s*\(/i,
    text: "GREATEST and LEAST ignore NULLs, instead of returning NULL",
  },
  {
    id: "concat",
    pattern: /\bconcat(?:_ws)?\s*\(/i,
    text: "CONCAT ignores NULLs, instead of returning NULL; write `a || b`",
  },
  {
    id: "array-agg",
    isRepaired: true,
    pattern: /\barray_agg\s*\(/i,
    text: "ARRAY_AGG keeps NULLs, and returns NULL instead of an empty list; add `filter (where v is not null)`",
  },
  {
    id: "listagg",
    pattern: /\blistagg\s*\(/i,
    text: "LISTAGG of no values returns NULL, not an empty text; write `coalesce(listagg(…), '')`",
  },
  {
    id: "max-by",
    pattern: /\b(?:max|min)_by\s*\(/i,
    text: "MAX_BY and MIN_BY skip rows whose value is NULL; write `arg_max_null` and `arg_min_null`",
  },
  {
    id: "window-frame",
    pattern: /\b(?:last|nth)_value\s*\([^)]*\)\s*over\s*\((?=[^)]*\border\s+by\b)(?![^)]*\b(?:rows|range|groups)\b)/i,
    text: "the frame of LAST_VALUE and NTH_VALUE ends at the current row; add `rows between unbounded preceding and unbounded following`",
  },
  {
    id: "regexp-replace",
    pattern: /\bregexp_replace\s*\(/i,
    isRepaired: true,
    text: "REGEXP_REPLACE replaces the first match only; add the argument `'g'`",
  },
  {
    id: "backslash",
    readsStrings: true,
    isRepaired: true,
    pattern: /\\/,
    text: "a backslash in a string is no escape: write `'\\d'` for `'\\\\d'`, and two quotes for `\\'`",
  },
  {
    id: "dashboard-parameter",
    readsStrings: true,
    isRepaired: true,
    pattern: /\{\{\w+\}\}/,
    text: "a parameter of a dashboard, such as `{{days}}`, is a text; write `$days`, and pass its value with the query",
  },
  {
    id: "array-slice",
    pattern: /\barray_slice\s*\(/i,
    text: "ARRAY_SLICE counts from 1 and includes the end; write `array_slice(list, from + 1, to)`",
  },
  {
    id: "name-of-date",
    pattern: /\b(?:monthname|dayname)\s*\(/i,
    text: "MONTHNAME and DAYNAME return whole names, not `Jan` and `Sat`; write `strftime(ts, '%b')` and `'%a'`",
  },
  {
    id: "week-difference",
    readsStrings: true,
    pattern: /\bdatediff\s*\(\s*'week'/i,
    text: "DATEDIFF of weeks counts whole weeks, not the Mondays between; subtract `date_trunc('week', …)`",
  },
  {
    id: "epoch",
    readsStrings: true,
    isRepaired: true,
    pattern: /\bdate_part\s*\(\s*'?epoch\b|\bextract\s*\(\s*epoch\b/i,
    text: "the epoch has a fraction of a second; write `floor(date_part('epoch', ts))::bigint`",
  },
  {
    id: "number-to-timestamp",
    pattern: /\bto_timestamp\s*\(/i,
    text: "TO_TIMESTAMP takes a number, always of seconds; texts fail when the statement runs, and milliseconds are another time",
  },
  {
    id: "timestamp-text",
    pattern: /(?:timestamp|_at|\bts)"?\s*::\s*(?:string|varchar|text)\b/i,
    text: "the text of a TIMESTAMP has no milliseconds if they are 0; write `strftime(ts, '%Y-%m-%d %H:%M:%S.%g')`",
  },
  {
    id: "split-part",
    pattern: /\bsplit_part\s*\([^()]*,\s*0\s*\)/i,
    text: "part 0 of SPLIT_PART is empty, not the first part; write 1",
  },
  {
    id: "substring",
    pattern: /\bsubstr(?:ing)?\s*\([^()]*?,\s*0\s*[,)]/i,
    text: "SUBSTR from 0 returns a character less; write 1",
  },
  {
    id: "random",
    pattern: /\brandom\s*\(/i,
    text: "RANDOM returns a number from 0 to 1, not a 64-bit integer",
  },
  {
    id: "hash",
    pattern: /\bhash\s*\(/i,
    text: "HASH returns other numbers",
  },
  {
    id: "pivot-names",
    pattern: /\bpivot\s*\(/i,
    text: "the columns of PIVOT are named `a`, not `'a'`",
  },
];

/** Construct of a statement that may have another value. */
export interface Difference {
  readonly rule: string;
  /** Line in the statement, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns the first match of each rule, in the order of the lines. Reading as DuckDB, the text is one that is repaired. */
export function differencesOf(sql: string, dialect: Dialect): readonly Difference[] {
  const code = codeOf(sql, dialect);
  const withStrings = withoutComments(sql, dialect);
  return differenceRules
    .filter(({ isRepaired }) => dialect === "snowflake" || !isRepaired)
    .flatMap(({ id, pattern, readsStrings, text }) => {
      const found = pattern.exec(readsStrings ? withStrings : code);
      return found === null ? [] : [{ rule: id, line: sql.slice(0, found.index).split("\n").length, text }];
    })
    .sort((a, b) => a.line - b.line);
}
