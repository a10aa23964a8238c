import { isolateHistory } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import type { Dialect } from "./dialect.ts";
import { formattedSql } from "./format-sql.ts";
import { statementsOf } from "./statement.ts";

/** Formats the statements of an editor, or those of its selection, in one step for undo. Returns a message. */
export function formatEditor(editor: EditorView, dialect: Dialect): string {
  const { from: first, to: last, empty } = editor.state.selection.main;
  const text = editor.state.doc.toString();
  const changes: { readonly from: number; readonly to: number; readonly insert: string }[] = [];
  const faults: string[] = [];
  for (const [index, { sql, from }] of statementsOf(text).entries()) {
    const to = from + sql.length;
    if (!empty && (to < first || from > last)) continue;
    const space = /;([^\S\n]*)$/.exec(text.slice(0, from))?.[1];
    if (space !== undefined) changes.push({ from: from - space.length, to: from, insert: "\n" });
    try {
      const insert = formattedSql(sql, dialect);
      if (insert !== sql) changes.push({ from, to, insert });
    } catch (error) {
      const [reason] = Object(error).message.split("\n");
      faults.push(`Cannot format statement ${index + 1}: ${reason}`);
    }
  }
  const update = editor.state.changes(changes);
  const formatted = update.apply(editor.state.doc).toString();
  const anchor = samePlace(text, formatted, editor.state.selection.main.head);
  if (changes.length > 0)
    editor.dispatch({
      changes: update,
      selection: { anchor },
      scrollIntoView: true,
      annotations: isolateHistory.of("full"),
      userEvent: "input.format",
    });
  editor.focus();
  return faults[0] ?? (changes.length > 0 ? "Formatted." : "The text is already formatted.");
}

/** Returns the offset with as many characters before it, apart from spaces, as the cursor has. */
function samePlace(before: string, after: string, cursor: number): number {
  let rest = before.slice(0, cursor).replace(/\s/g, "").length;
  let offset = 0;
  for (; rest > 0 && offset < after.length; offset += 1) if (!/\s/.test(after[offset] ?? "")) rest -= 1;
  return offset;
}
