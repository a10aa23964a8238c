import { openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { StateEffect } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";

const prepared = new WeakSet<EditorView>();

/** Opens the search panel of an editor, and adds the keys of the search to the editor at its first use. */
export function openSearchIn(editor: EditorView): void {
  if (!prepared.has(editor)) {
    prepared.add(editor);
    editor.dispatch({ effects: StateEffect.appendConfig.of([search({ top: true }), keymap.of(searchKeymap)]) });
  }
  openSearchPanel(editor);
}
