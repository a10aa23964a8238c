import { countLineEnds, openPartOf, statementsOf } from "../statement/statements.ts";

/** A statement or a command that is complete. */
export type Entry =
  | { readonly kind: "statement"; readonly sql: string; readonly line: number }
  | { readonly kind: "command"; readonly text: string; readonly line: number };

/** Collects lines until a semicolon ends a statement. */
export interface StatementInput {
  /** Adds a line, and returns what it completes. @param end Characters that ended the line. */
  push(line: string, end?: string): readonly Entry[];
  /** Returns the statement at the end of the input, which needs no semicolon. */
  rest(): readonly Entry[];
  clear(): void;
  /** Statement that is not complete yet. Empty if there is none. */
  readonly text: string;
  /** Sign of the prompt: `=` for a new statement, `-` within one, else the mark that has no end yet. */
  readonly sign: string;
}

/** Words that work without a backslash, as in other shells. */
const bareWords = /^\s*(help|quit|exit)\s*;?\s*$/i;

export function createStatementInput(): StatementInput {
  let text = "";
  let sign = "=";
  /** Line on which the text begins, and the next line. */
  let first = 1;
  let next = 1;

  function clear(): void {
    text = "";
    sign = "=";
  }

  function entriesOf(sql: string): readonly Entry[] {
    // A single statement is the whole text, with the comments before it.
    return statementsOf(sql).map((statement) => {
      const line = statement.sql === sql ? first : first + statement.line - 1;
      return { kind: "statement", sql: statement.sql, line };
    });
  }

  return {
    push(line, end = "\n") {
      const at = next;
      next += 1;
      if (text === "") first = at;
      const isBetween = sign === "=" || sign === "-" || sign === "(";
      if (isBetween && /^\s*\\/.test(line)) return [{ kind: "command", text: line.trim(), line: at }];
      const [, word] = text === "" ? (bareWords.exec(line) ?? []) : [];
      if (word !== undefined) return [{ kind: "command", text: `\\${word.toLowerCase()}`, line: at }];
      text += line + end;
      const { start, mark, isStatement } = openPartOf(text);
      const complete = text.slice(0, start);
      const entries = entriesOf(complete);
      first += countLineEnds(complete);
      text = text.slice(start);
      sign = mark ?? "-";
      if (!isStatement && mark === undefined) clear();
      return entries;
    },
    rest() {
      const entries = entriesOf(text.trimEnd());
      clear();
      return entries;
    },
    clear,
    get text() {
      return text;
    },
    get sign() {
      return sign;
    },
  };
}

/** Returns the entries of the history for the lines of a statement: one, unless a line end in it has a meaning. */
export function historyEntries(lines: readonly string[]): readonly string[] {
  const isJoined = lines.every((line, at) => {
    if (at === lines.length - 1) return true;
    const { mark } = openPartOf(lines.slice(0, at + 1).join("\n"));
    return !line.includes("--") && (mark === undefined || mark === "(");
  });
  const shown = lines.filter((line) => line.trim() !== "");
  return isJoined ? [shown.map((line, at) => (at === 0 ? line.trimEnd() : line.trim())).join(" ")] : shown;
}
