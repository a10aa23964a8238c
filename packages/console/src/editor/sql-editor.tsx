import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, SQLDialect, sql } from "@codemirror/lang-sql";
import { bracketMatching } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useClient } from "@quern/react";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { Dialect } from "./dialect.ts";
import { type EditorMemory, recalledEditor, rememberEditor } from "./editor-memory.ts";
import { editorTheme } from "./editor-theme.ts";
import { sqlCompletion } from "./sql-completion.ts";
import { diagnosticsOf, type SqlError } from "./sql-error.ts";
import { type Statement, statementAt, statementsOf } from "./statement.ts";
import { isFromElsewhere, showText } from "./text-from-elsewhere.ts";
import { typedText } from "./typed-text.ts";

/** Opens the search panel, which is a chunk of its own. */
function openSearch(editor: EditorView): boolean {
  void import("./editor-search.ts").then(({ openSearchIn }) => openSearchIn(editor));
  return true;
}

/** DuckDB reads the SQL of PostgreSQL, and `$name` is a parameter. */
const syntax = SQLDialect.define({ ...PostgreSQL.spec, specialVar: "$" });

function format(editor: EditorView, { dialect, onMessage }: Pick<SqlEditorProps, "dialect" | "onMessage">): void {
  import("./format-editor.ts").then(
    ({ formatEditor }) => onMessage(formatEditor(editor, dialect)),
    (error: Error) => onMessage(`Cannot load the formatter: ${error.message}`),
  );
}

export interface SqlEditorHandle {
  focus(): void;
  /** Replaces the selection by a text and moves the focus to the editor. */
  insert(text: string): void;
  /** Returns the selected text, or else the statement at the cursor; undefined if there is none. */
  statement(): Statement | undefined;
  /** Returns all statements. */
  statements(): readonly Statement[];
  /** Formats the selected statements, or else all. The formatter is a chunk of its own, loaded at the first use. */
  format(): void;
}

interface SqlEditorProps {
  /** Id of the tab. */
  readonly id: string;
  readonly memory: EditorMemory;
  readonly text: string;
  readonly dialect: Dialect;
  readonly dataSource: string | undefined;
  readonly error: SqlError | undefined;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
  readonly onRunAll: () => void;
  /** Called with what the user should know of an action of the editor. */
  readonly onMessage: (message: string) => void;
  readonly ref: Ref<SqlEditorHandle>;
}

/** Editor for SQL. A new tab needs a new editor: set `key`. */
export function SqlEditor(props: SqlEditorProps) {
  const { id, memory, text, error, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const client = useClient();
  const latest = useRef(props);
  latest.current = props;
  /** Text that the editor last had. Another text is of another window. */
  const reported = useRef(text);

  useEffect(() => {
    if (host.current === null) return;
    // In a document, CodeMirror adds style elements, which the policy of the page forbids; in a shadow tree it uses
    // constructable style sheets.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const command = (act: (editor: EditorView) => void) => (editor: EditorView) => {
      closeCompletion(editor);
      act(editor);
      return true;
    };
    const editor = new EditorView({
      root,
      parent: root,
      state: recalledEditor(memory, id, latest.current.text, [
        Prec.highest(
          keymap.of([
            { key: "Mod-Enter", run: command(() => latest.current.onRun()) },
            { key: "Mod-Shift-Enter", run: command(() => latest.current.onRunAll()) },
            { key: "Shift-Alt-f", run: command((shown) => format(shown, latest.current)) },
          ]),
        ),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        sql({ dialect: syntax }),
        autocompletion({ override: [sqlCompletion(client, () => latest.current.dataSource)] }),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          { key: "Tab", run: acceptCompletion },
          ...lintKeymap,
          { key: "Mod-f", run: openSearch },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        typedText,
        editorTheme,
        EditorView.lineWrapping,
        placeholder("select …"),
        EditorView.contentAttributes.of({ "aria-label": "SQL", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          reported.current = update.state.doc.toString();
          if (!isFromElsewhere(update)) latest.current.onChange(reported.current);
        }),
      ]),
    });
    view.current = editor;
    return () => {
      rememberEditor(memory, id, editor.state);
      editor.destroy();
    };
  }, [client, memory, id]);

  // Another window can change the text of the tab, also while this window has the focus.
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined && text !== reported.current) showText(editor, text);
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const marks = error === undefined ? [] : diagnosticsOf(editor.state.doc.toString(), error);
    editor.dispatch(setDiagnostics(editor.state, marks));
  }, [error]);

  useImperativeHandle(
    ref,
    () => ({
      focus() {
        view.current?.focus();
      },
      insert(inserted) {
        view.current?.dispatch(view.current.state.replaceSelection(inserted));
        view.current?.focus();
      },
      statement() {
        const state = view.current?.state;
        if (state === undefined) return undefined;
        const { from, to, head } = state.selection.main;
        const selected = state.sliceDoc(from, to);
        if (selected.trim() !== "") return { sql: selected, from };
        return statementAt(state.doc.toString(), head);
      },
      statements: () => statementsOf(view.current?.state.doc.toString() ?? ""),
      format() {
        if (view.current !== undefined) format(view.current, latest.current);
      },
    }),
    [],
  );

  return <div ref={host} className="editor" />;
}
