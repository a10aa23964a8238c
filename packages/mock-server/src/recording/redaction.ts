import { isObject } from "@quern/json-rpc/envelope";
import { sha256 } from "../sha256.ts";
import { tokens } from "../statement/sql-text.ts";
import { lastingParams } from "../wire/call.ts";

/** Replacement of a literal. */
const redacted = "redacted";

/** Dollar-quoted strings: `$$text$$` and `$tag$text$tag$`. */
const dollarQuotes = /\$(\w*)\$[\s\S]*?\$\1\$/g;

/** Strings with a quote after a backslash, and nested comments. Engines differ on where they end, so everything from their start on is redacted. */
const ambiguous = /'(?:[^'\\]|''|\\[^'])*\\'[\s\S]*|\/\*(?:(?!\*\/)[\s\S])*\/\*[\s\S]*/;

/** Strings and comments without an end. */
const unclosed = /(?:'|\/\*)[\s\S]*/;

/** Numbers: `1`, `.5`, `2e-3`, `0xff`. Names and parameters with digits do not match. */
const numbers = /(?<![\w$])\.?\d[\w.]*(?:(?<=e)[+-]\d+)?/gi;

/** Members with SQL, or with text that quotes SQL. */
const sqlMembers = ["sql", "errorMessage"];
/** Members that quote values of a call. */
const quotingMembers = ["received"];

/** Returns a statement whose string and number literals are replaced. Names stay, also in double quotes. */
export function redactedSql(sql: string): string {
  let text = "";
  let plain = "";
  const numberless = (): string => plain.replace(unclosed, `'${redacted}'`).replace(numbers, "0");
  const clear = sql.replace(ambiguous, `'${redacted}'`).replace(dollarQuotes, `'${redacted}'`);
  for (const { text: token, quoted } of tokens(clear)) {
    if (!quoted) {
      plain += token;
      continue;
    }
    // A prefix such as `E` stays before the quote.
    text += numberless() + (token.endsWith("'") ? token.replace(/'[\s\S]*/, `'${redacted}'`) : token);
    plain = "";
  }
  return text + numberless();
}

/** Returns the message of an error without quoted values. */
export function redactedMessage(message: string): string {
  return message.replace(/"(?:[^"\\]|\\.)*"?/g, `"${redacted}"`).replace(/'[^']*'?/g, `'${redacted}'`);
}

/** Returns the params that identify a call, without literals. */
export function redactedParams(params: unknown): unknown {
  const lasting = lastingParams(params);
  if (!isObject(lasting)) return lasting;
  return Object.fromEntries(
    Object.entries(lasting).map(([name, member]) => {
      if (name === "parameters") return [name, redactedParameters(member)];
      if (name === "filters" && Array.isArray(member)) return [name, member.map(redactedFilter)];
      return [name, redactedMember(name, member)];
    }),
  );
}

/** Returns a filter, or those of a group, with columns and operators, without values. */
function redactedFilter(filter: unknown): unknown {
  if (!isObject(filter)) return filter;
  if (Array.isArray(filter.or)) return { or: filter.or.map(redactedFilter) };
  const { column, ...comparisons } = filter;
  const values = Object.entries(comparisons).map(([name, value]) => [name, redactedValue(value)]);
  return { column, ...Object.fromEntries(values) };
}

/** Redacts a value. Null stays: clients send it for operators that they do not use. */
function redactedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactedValue);
  return value === null ? null : redacted;
}

/** Returns parameters with their number or names, without values. */
function redactedParameters(parameters: unknown): unknown {
  if (Array.isArray(parameters)) return parameters.map(() => redacted);
  return isObject(parameters)
    ? Object.fromEntries(Object.keys(parameters).map((name) => [name, redacted]))
    : parameters;
}

/** Returns a result, or an error, without literals of statements and signed links. Rows stay. */
export function redactedAnswer(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(redactedAnswer);
  if (!isObject(answer)) return answer;
  const { sql } = answer;
  const members = Object.entries(answer).map(([name, member]) => {
    if (name === "rows") return [name, member] as const;
    if (name === "statementHash" && typeof sql === "string") return [name, sha256(redactedSql(sql))] as const;
    if (name === "url") return [name, "https://redacted.invalid/"] as const;
    return [name, redactedAnswer(redactedMember(name, member))] as const;
  });
  return Object.fromEntries(members);
}

function redactedMember(name: string, member: unknown): unknown {
  if (quotingMembers.includes(name)) return redacted;
  return sqlMembers.includes(name) && typeof member === "string" ? redactedSql(member) : member;
}
