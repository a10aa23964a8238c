import type { Diagnostic } from "@codemirror/lint";
import type { QueryRunErrorData } from "@quern/client";
import type { Statement } from "./statement.ts";

/** A failure of the engine and the statement that it is about. */
export interface SqlError {
  readonly statement: Statement;
  readonly message: string;
  readonly data: QueryRunErrorData | null;
}

/**
 * Returns the mark for a failure in a text; none if the text no longer has the statement or the engine reports no
 * position.
 */
export function diagnosticsOf(text: string, { statement, message, data }: SqlError): Diagnostic[] {
  const { sql } = statement;
  const start = text.startsWith(sql, statement.from) ? statement.from : text.indexOf(sql);
  if (start < 0 || data?.position === undefined) return [];
  const from = Math.min(start + data.position, start + sql.length);
  const word = text.slice(from, start + sql.length).match(/^(?:"[^"]*"|[\p{L}\p{N}_]+)/u)?.[0] ?? "";
  const to = Math.min(from + Math.max(word.length, 1), text.length);
  const actions = (data.candidates ?? []).slice(0, 5).map((name) => ({
    name,
    apply: (view: EditorLike, first: number, last: number) => {
      view.dispatch({ changes: { from: first, to: last, insert: name } });
    },
  }));
  return [{ from: Math.min(from, Math.max(0, to - 1)), to, severity: "error", message, actions }];
}

type EditorLike = Parameters<NonNullable<Diagnostic["actions"]>[number]["apply"]>[0];
