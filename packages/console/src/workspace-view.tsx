import { QuernError, type QueryRun } from "@quern/client";
import { useClient } from "@quern/react";
import { useMutation } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { EditorMemory } from "./editor/editor-memory.ts";
import { allNamesOf, EMPTY_FIELD, faultOf, labelOf, parameterNamesOf, valuesOf } from "./editor/parameter.ts";
import { ParameterInputs } from "./editor/parameter-fields.tsx";
import { SqlEditor, type SqlEditorHandle } from "./editor/sql-editor.tsx";
import type { SqlError } from "./editor/sql-error.ts";
import { type Statement, statementAt, statementsOf } from "./editor/statement.ts";
import { useDialect } from "./editor/use-dialect.ts";
import { BatchBar } from "./run/batch-bar.tsx";
import { runBatch } from "./run/run-batch.ts";
import { RunView } from "./run/run-view.tsx";
import { startRun } from "./run/start-run.ts";
import { runLink } from "./run-link.ts";
import { DataSourceSelect } from "./schema/data-source-select.tsx";
import { serviceUrl } from "./session/service-client.ts";
import { copyText } from "./share/clipboard.ts";
import { PROGRAMS, programOf } from "./share/copy-as.ts";
import { Menu } from "./share/menu.tsx";
import type { Tab } from "./workspace/tab.ts";
import type { Tabs } from "./workspace/use-tabs.ts";

interface WorkspaceProps {
  readonly tab: Tab;
  /** Runs the statement of the tab once it is shown. */
  readonly runsAtStart: boolean;
  readonly onStarted: () => void;
  readonly onChange: (members: Partial<Tab>) => void;
  readonly current: Tabs["current"];
  readonly editor: RefObject<SqlEditorHandle | null>;
  readonly memory: EditorMemory;
}

const reasonOf = (error: Error): string =>
  error instanceof QuernError && error.kind === "network"
    ? "The service does not answer. Run the statement again when it does."
    : error.message;

/** A tab: its statement, the values of its parameters, and its last run. Another tab needs another view: set `key`. */
export function Workspace({ tab, runsAtStart, onStarted, onChange, current, editor, memory }: WorkspaceProps) {
  const client = useClient();
  const [failed, setFailed] = useState<QueryRun>();
  const [message, setMessage] = useState("");
  const dialect = useDialect(tab.dataSource);
  const names = useMemo(() => allNamesOf(statementsOf(tab.sql), dialect), [tab.sql, dialect]);

  const requestOf = (statement: Statement) => {
    const parameters = valuesOf(parameterNamesOf(statement.sql, dialect), tab.parameters);
    return { statement, parameters, dataSource: tab.dataSource };
  };
  const start = useMutation({
    networkMode: "always",
    mutationFn: (statement: Statement) => startRun(client, requestOf(statement)),
    onSuccess: (run) => onChange({ run, batch: undefined }),
  });

  /** Tells the user why statements cannot run; returns false if they can. */
  function isRefused(statements: readonly Statement[]): boolean {
    const faults = allNamesOf(statements, dialect).map((name) => [name, faultOf(tab.parameters[name] ?? EMPTY_FIELD)]);
    const [name, fault] = faults.find(([, reason]) => reason !== undefined) ?? [];
    if (statements.length === 0) setMessage("There is no statement at the cursor.");
    else setMessage(name === undefined ? "" : `Invalid value of ${labelOf(name)}: ${fault}`);
    return statements.length === 0 || name !== undefined;
  }
  function run(statement = editor.current?.statement()) {
    if (isRefused(statement === undefined ? [] : [statement]) || statement === undefined) return;
    start.mutate(statement);
  }
  function runAll() {
    const statements = editor.current?.statements() ?? [];
    if (isRefused(statements)) return;
    start.reset();
    void runBatch({ client, requests: statements.map(requestOf), tab: () => current(tab.id), change: onChange });
  }

  const startAtOnce = useRef(() => run(statementAt(tab.sql, 0)));
  const isStarted = useRef(false);
  useEffect(() => {
    if (!runsAtStart || isStarted.current) return;
    isStarted.current = true;
    onStarted();
    startAtOnce.current();
  }, [runsAtStart, onStarted]);

  async function copy(text: string, name: string) {
    try {
      await copyText(text);
      setMessage(`Copied ${name}.`);
    } catch (error) {
      setMessage(Object(error).message);
    }
  }
  const programs = PROGRAMS.map((program) => ({
    label: program,
    onSelect: () => {
      const statement = editor.current?.statement() ?? { sql: tab.sql, from: 0 };
      const { parameters, dataSource } = requestOf(statement);
      void copy(programOf(program, serviceUrl(), { sql: statement.sql, parameters, dataSource }), `as ${program}`);
    },
  }));

  const onRun = useCallback((seen: QueryRun) => setFailed(seen.state === "QUERY_STATE_FAILED" ? seen : undefined), []);
  const error = useMemo((): SqlError | undefined => {
    if (failed === undefined || tab.run?.queryRunId !== failed.id) return undefined;
    return { statement: tab.run.statement, message: failed.errorMessage ?? "", data: failed.errorData };
  }, [failed, tab.run]);

  return (
    <>
      <div className="editor-pane">
        <SqlEditor
          ref={editor}
          id={tab.id}
          memory={memory}
          text={tab.sql}
          dialect={dialect}
          dataSource={tab.dataSource}
          error={error}
          onChange={(sql) => {
            if (start.isError) start.reset();
            onChange({ sql });
          }}
          onRun={() => run()}
          onRunAll={runAll}
          onMessage={setMessage}
        />
      </div>
      <ParameterInputs
        names={names}
        fields={tab.parameters}
        onChange={(parameters) => onChange({ parameters })}
        onRun={() => run()}
      />
      <div className="toolbar">
        <button
          type="button"
          className="primary"
          onClick={() => run()}
          disabled={start.isPending}
          title="Ctrl-Enter or Cmd-Enter"
        >
          Run
        </button>
        <button
          type="button"
          onClick={runAll}
          title="Ctrl-Shift-Enter or Cmd-Shift-Enter: all statements, one after the other"
        >
          Run all
        </button>
        <button
          type="button"
          onClick={() => editor.current?.format()}
          title="Shift-Alt-F: the selection, or all statements"
        >
          Format
        </button>
        <DataSourceSelect value={tab.dataSource} onChange={(dataSource) => onChange({ dataSource })} />
        <Menu label="Copy as" items={programs} />
        {tab.run !== undefined && (
          <button
            type="button"
            onClick={() => tab.run && void copy(runLink(tab.run.queryRunId), "the link to the result")}
          >
            Copy link
          </button>
        )}
        <span role="status" className="quiet">
          {start.isPending ? "Starting…" : message}
        </span>
        {start.isError && (
          <span role="alert" className="failure">
            {reasonOf(start.error)}
          </span>
        )}
      </div>
      {tab.batch !== undefined && (
        <BatchBar batch={tab.batch} shown={tab.run?.queryRunId} onSelect={(chosen) => onChange({ run: chosen })} />
      )}
      {tab.run !== undefined && (
        <RunView
          key={tab.run.queryRunId}
          queryRunId={tab.run.queryRunId}
          fileName={tab.name}
          layout={tab}
          onLayout={onChange}
          chart={tab.chart}
          onChart={(chart) => onChange({ chart })}
          view={tab.view}
          onView={(view) => onChange({ view })}
          onRun={onRun}
        />
      )}
    </>
  );
}
