import type { QueryRun } from "@quern/client";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { EditorMemory } from "./editor/editor-memory.ts";
import type { SqlEditorHandle } from "./editor/sql-editor.tsx";
import { HistoryPanel } from "./history/history-panel.tsx";
import { SchemaPanel } from "./schema/schema-panel.tsx";
import { useSession } from "./session/session.tsx";
import { useAdmin } from "./session/use-admin.ts";
import { useLinkedRun } from "./use-linked-run.ts";
import { TabBar } from "./workspace/tab-bar.tsx";
import { useTabs } from "./workspace/use-tabs.ts";
import { Workspace } from "./workspace-view.tsx";

const PANELS = ["Schema", "History"] as const;
const OperationPage = lazy(async () => ({ default: (await import("./operation/operation-page.tsx")).OperationPage }));

const isNarrow = () => window.innerWidth < 700;

/** The page of a user who has signed in: side bar, tabs, and the active tab. */
export function ConsolePage() {
  const { scope, signOut } = useSession();
  const [isOperation, setOperation] = useState(false);
  const tabs = useTabs(scope, () => setOperation(false));
  const isAdmin = useAdmin();
  const editor = useRef<SqlEditorHandle>(null);
  const [memory] = useState((): EditorMemory => new Map());
  useEffect(() => {
    for (const id of memory.keys()) if (!tabs.tabs.some((tab) => tab.id === id)) memory.delete(id);
  });
  const [panel, setPanel] = useState<(typeof PANELS)[number] | undefined>(() => (isNarrow() ? undefined : "Schema"));
  /** Tab whose statement runs as soon as the tab is shown. */
  const [started, setStarted] = useState<string>();
  const link = useLinkedRun(tabs.open);

  /** On a narrow screen, the side bar is above what it opens. */
  function uncover() {
    if (isNarrow()) setPanel(undefined);
  }
  function openRun({ id, dataSourceId }: QueryRun, sql: string) {
    uncover();
    const known = tabs.tabs.find(({ run }) => run?.queryRunId === id);
    if (known !== undefined) tabs.select(known.id);
    else tabs.open({ sql, dataSource: dataSourceId, run: { queryRunId: id, statement: { sql, from: 0 } } });
  }
  return (
    <div className="console">
      <header className="top">
        {!isOperation && (
          <button type="button" className="skip" onClick={() => editor.current?.focus()}>
            Go to the editor
          </button>
        )}
        <h1>Quern</h1>
        {PANELS.map((each) => (
          <button
            key={each}
            type="button"
            aria-expanded={panel === each}
            aria-controls="side"
            onClick={() => setPanel(panel === each ? undefined : each)}
          >
            {each}
          </button>
        ))}
        {isAdmin && (
          <button
            type="button"
            aria-expanded={isOperation}
            aria-controls="workspace"
            onClick={() => {
              uncover();
              setOperation(!isOperation);
            }}
          >
            Operation
          </button>
        )}
        <TabBar {...tabs} />
        <button type="button" className="sign-out" onClick={signOut}>
          Sign out
        </button>
      </header>
      <aside id="side" className="side" aria-label={panel ?? "Side bar"} hidden={panel === undefined}>
        {panel === "Schema" && (
          <SchemaPanel
            onInsert={(text) => editor.current?.insert(text)}
            onRun={(name, sql, dataSource) => setStarted(tabs.open({ name, sql, dataSource }).id)}
          />
        )}
        {panel === "History" && <HistoryPanel showsUsers={isAdmin} onOpen={openRun} />}
      </aside>
      <main id="workspace" className="workspace" aria-label={isOperation ? "Operation" : tabs.active.name}>
        {link.failure !== undefined && (
          <p role="alert" className="message failure">
            {link.failure}{" "}
            <button type="button" onClick={link.dismiss}>
              Close
            </button>
          </p>
        )}
        {isOperation ? (
          <Suspense fallback={<p className="message">Reading the state of the service…</p>}>
            <OperationPage onOpen={openRun} />
          </Suspense>
        ) : (
          <Workspace
            key={tabs.active.id}
            tab={tabs.active}
            runsAtStart={started === tabs.active.id}
            onStarted={() => setStarted(undefined)}
            onChange={(members) => tabs.change(tabs.active.id, members)}
            current={tabs.current}
            editor={editor}
            memory={memory}
          />
        )}
      </main>
    </div>
  );
}
