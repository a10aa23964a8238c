import { Annotation, type EditorState, Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";

const elsewhere = Annotation.define<boolean>();

/** Tells whether a change of the text was made in another window. */
export const isFromElsewhere = ({ transactions }: ViewUpdate): boolean =>
  transactions.some((transaction) => transaction.annotation(elsewhere) === true);

/**
 * Returns a change to the text of another window; undefined if the texts are equal. It replaces only what differs, so
 * that the cursor stays, and undo leaves it alone.
 */
export function changeTo(state: EditorState, text: string): TransactionSpec | undefined {
  const shown = state.doc.toString();
  const shorter = Math.min(shown.length, text.length);
  let from = 0;
  while (from < shorter && shown[from] === text[from]) from++;
  let tail = 0;
  while (tail < shorter - from && shown[shown.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  if (from === shown.length && from === text.length) return undefined;
  return {
    changes: { from, to: shown.length - tail, insert: text.slice(from, text.length - tail) },
    annotations: [elsewhere.of(true), Transaction.addToHistory.of(false)],
  };
}

/** Shows the text of another window. */
export function showText(editor: EditorView, text: string): void {
  const change = changeTo(editor.state, text);
  if (change !== undefined) editor.dispatch(change);
}
