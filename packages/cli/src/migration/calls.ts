import { closingAt, codeOf, replaceInCode, splitList, withoutComments } from "./masked-sql.ts";

/** Rewrites a call. Undefined keeps it. */
export type CallRepair = (args: readonly string[]) => string | undefined;

/** Clauses after the arguments of a call: the text within the parentheses of `WITHIN GROUP (…)` and `OVER (…)`. */
interface CallTails {
  readonly within?: string | undefined;
  readonly over?: string | undefined;
}

/** Rewrites a call and the clauses after it. Undefined keeps them. */
export type WindowRepair = (args: readonly string[], tails: CallTails) => string | undefined;

/** Repairs by the name of the function, in lower case. */
export interface Repairs {
  readonly calls: Readonly<Record<string, CallRepair>>;
  readonly windows?: Readonly<Record<string, WindowRepair>>;
}

/** Rewrites the calls of the named functions, those in arguments first. Comments within a call that is rewritten are dropped. */
export function rewriteCalls(sql: string, repairs: Repairs): string {
  const { calls, windows = {} } = repairs;
  return replaceInCode(sql, /([\p{L}_][\p{L}\p{N}_.]*)(\s*)\(/gu, (match, code) => {
    const [head, name = ""] = match;
    const open = match.index + head.length - 1;
    const close = closingAt(code, open);
    if (close < 0) return undefined;
    const inner = rewriteCalls(sql.slice(open + 1, close), repairs);
    const args = () => splitList(withoutComments(inner, "duckdb"));
    const key = name.toLowerCase();
    const ofWindow = Object.hasOwn(windows, key) ? windows[key] : undefined;
    if (ofWindow !== undefined) {
      const { within, over, end } = tailsAt(sql, code, close + 1);
      const text = ofWindow(args(), { within, over: over && rewriteCalls(over, repairs) });
      if (text !== undefined) return { text, end };
    }
    const text = Object.hasOwn(calls, key) ? calls[key]?.(args()) : undefined;
    return { text: text ?? `${sql.slice(match.index, open + 1)}${inner})`, end: close + 1 };
  });
}

function tailsAt(sql: string, code: string, start: number) {
  const tailAt = (words: RegExp, from: number) => {
    const [head] = words.exec(code.slice(from)) ?? [];
    if (head === undefined) return { end: from };
    const open = from + head.length - 1;
    const close = closingAt(code, open);
    return close < 0 ? { end: from } : { text: sql.slice(open + 1, close).trim(), end: close + 1 };
  };
  const within = tailAt(/^\s*within\s+group\s*\(/i, start);
  const over = tailAt(/^\s*over\s*\(/i, within.end);
  return { within: within.text, over: over.text, end: over.end };
}

/** Puts an expression in parentheses, so that `::`, `+` and `-` can follow it. */
export function operand(text: string): string {
  const isSimple = /^(?:[\p{L}\p{N}_.$]+(?:::\w+)?|'_*'|"_*"|[\p{L}_][\p{L}\p{N}_.]*\([^()]*\)|\([^()]*\))$/u;
  return isSimple.test(codeOf(text, "duckdb")) ? text : `(${text})`;
}
