import { sha256 } from "../sha256.ts";
import { tokens } from "../sql-text.ts";

/** What stands where a literal stood. */
const redacted = "redacted";

/** `$$text$$` and `$tag$text$tag$`, which engines take for texts. */
const dollarQuotes = /\$(\w*)\$[\s\S]*?\$\1\$/g;

/** A text or a comment that nobody ends. */
const unclosed = /(?:'|\/\*)[\s\S]*/;

/** Whatever begins with a digit and is no name or parameter: `1`, `.5`, `2e-3`, `0xff`. */
const numbers = /(?<![\w$])\.?\d[\w.]*(?:(?<=e)[+-]\d+)?/gi;

/** Statements and what quotes them. */
const sqlMembers = ["sql", "errorMessage"];
/** Members of params that are of one call only: how long it waits, and which repetition it is. */
const passing = ["waitSeconds", "idempotencyKey"];

/** A statement without its texts and numbers. Names stay, those in double quotes too. */
export function redactedSql(sql: string): string {
  let text = "";
  let plain = "";
  const numberless = (): string => plain.replace(unclosed, `'${redacted}'`).replace(numbers, "0");
  for (const { text: token, quoted } of tokens(sql.replace(dollarQuotes, `'${redacted}'`))) {
    if (!quoted) {
      plain += token;
      continue;
    }
    text += numberless() + (token.startsWith("'") ? `'${redacted}'` : token);
    plain = "";
  }
  return text + numberless();
}

/** Params by which a call is known again. */
export function redactedParams(params: unknown): unknown {
  if (!isObject(params)) return params;
  const members = Object.entries(params).filter(([name]) => !passing.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      name === "parameters" ? redactedParameters(member) : redactedMember(name, member),
    ]),
  );
}

/** The same number of values, or the same names. */
function redactedParameters(parameters: unknown): unknown {
  if (Array.isArray(parameters)) return parameters.map(() => redacted);
  return isObject(parameters)
    ? Object.fromEntries(Object.keys(parameters).map((name) => [name, redacted]))
    : parameters;
}

/** A result, or the data of an error, without literals of statements and without signed links; the rows stay. */
export async function redactedAnswer(answer: unknown): Promise<unknown> {
  if (Array.isArray(answer)) return Promise.all(answer.map(redactedAnswer));
  if (!isObject(answer)) return answer;
  const { sql } = answer;
  const members = Object.entries(answer).map(async ([name, member]) => {
    if (name === "rows") return [name, member] as const;
    if (name === "statementHash" && typeof sql === "string") return [name, await sha256(redactedSql(sql))] as const;
    if (name === "url") return [name, "https://redacted.invalid/"] as const;
    return [name, await redactedAnswer(redactedMember(name, member))] as const;
  });
  return Object.fromEntries(await Promise.all(members));
}

function redactedMember(name: string, member: unknown): unknown {
  return sqlMembers.includes(name) && typeof member === "string" ? redactedSql(member) : member;
}

interface JsonObject {
  readonly sql?: unknown;
  readonly [name: string]: unknown;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
