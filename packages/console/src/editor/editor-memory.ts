import { historyField } from "@codemirror/commands";
import { EditorState, type Extension } from "@codemirror/state";
import { changeTo } from "./text-from-elsewhere.ts";

/** Texts of editors that are not shown, with their cursor and what undo needs, by the ids of their tabs. */
export type EditorMemory = Map<string, unknown>;

const FIELDS = { history: historyField };

export function rememberEditor(memory: EditorMemory, id: string, state: EditorState): void {
  memory.set(id, state.toJSON(FIELDS));
}

/** Returns the state of the editor of a tab, with its undo history if the tab was shown before. */
export function recalledEditor(memory: EditorMemory, id: string, doc: string, extensions: Extension): EditorState {
  const known = memory.get(id);
  if (known === undefined) return EditorState.create({ doc, extensions });
  const state = EditorState.fromJSON(known, { extensions }, FIELDS);
  // Another window may have changed the text meanwhile.
  const change = changeTo(state, doc);
  return change === undefined ? state : state.update(change).state;
}
