import { sha256 } from "../sha256.ts";
import { tokens } from "../statement/sql-text.ts";
import { lastingParams } from "../wire/call.ts";

/** What stands where a literal stood. */
const redacted = "redacted";

/** `$$text$$` and `$tag$text$tag$`, which engines take for texts. */
const dollarQuotes = /\$(\w*)\$[\s\S]*?\$\1\$/g;

/** A text with a quote behind a backslash, or a comment in a comment: engines differ on where these end. */
const unclear = /'(?:[^'\\]|''|\\[^'])*\\'[\s\S]*|\/\*(?:(?!\*\/)[\s\S])*\/\*[\s\S]*/;

/** A text or a comment that nobody ends. */
const unclosed = /(?:'|\/\*)[\s\S]*/;

/** Whatever begins with a digit and is no name or parameter: `1`, `.5`, `2e-3`, `0xff`. */
const numbers = /(?<![\w$])\.?\d[\w.]*(?:(?<=e)[+-]\d+)?/gi;

/** Statements and what quotes them. */
const sqlMembers = ["sql", "errorMessage"];
/** What of an answer repeats the values of a call. */
const quotingMembers = ["received"];

/** A statement without its texts and numbers, to where it is clear what they are. Names stay, those in double quotes too. */
export function redactedSql(sql: string): string {
  let text = "";
  let plain = "";
  const numberless = (): string => plain.replace(unclosed, `'${redacted}'`).replace(numbers, "0");
  const clear = sql.replace(unclear, `'${redacted}'`).replace(dollarQuotes, `'${redacted}'`);
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

/** What a service says of a call, without the values that it quotes. */
export function redactedMessage(message: string): string {
  return message.replace(/"(?:[^"\\]|\\.)*"?/g, `"${redacted}"`).replace(/'[^']*'?/g, `'${redacted}'`);
}

/** Params by which a call is known again. */
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

/** The same comparisons of the same column. */
function redactedFilter(filter: unknown): unknown {
  if (!isObject(filter)) return filter;
  const { column, ...comparisons } = filter;
  const values = Object.entries(comparisons).map(([name, value]) => [name, redactedValue(value)]);
  return { column, ...Object.fromEntries(values) };
}

/** Nothing is no secret: clients send it for comparisons that are not used. */
function redactedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactedValue);
  return value === null ? null : redacted;
}

/** The same number of values, or the same names. */
function redactedParameters(parameters: unknown): unknown {
  if (Array.isArray(parameters)) return parameters.map(() => redacted);
  return isObject(parameters)
    ? Object.fromEntries(Object.keys(parameters).map((name) => [name, redacted]))
    : parameters;
}

/** A result, or the data of an error, without literals of statements and without signed links; the rows stay. */
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

interface JsonObject {
  readonly sql?: unknown;
  readonly [name: string]: unknown;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
