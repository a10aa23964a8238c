import { Annotation, Transaction } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";

const elsewhere = Annotation.define<boolean>();

/** Tells whether a change of the text was made in another window. */
export const isFromElsewhere = ({ transactions }: ViewUpdate): boolean =>
  transactions.some((transaction) => transaction.annotation(elsewhere) === true);

/** Shows the text of another window. Replaces only what differs, so that the cursor stays, and undo leaves it alone. */
export function showText(editor: EditorView, text: string): void {
  const shown = editor.state.doc.toString();
  const shorter = Math.min(shown.length, text.length);
  let from = 0;
  while (from < shorter && shown[from] === text[from]) from++;
  let tail = 0;
  while (tail < shorter - from && shown[shown.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  if (from === shown.length && from === text.length) return;
  editor.dispatch({
    changes: { from, to: shown.length - tail, insert: text.slice(from, text.length - tail) },
    annotations: [elsewhere.of(true), Transaction.addToHistory.of(false)],
  });
}
