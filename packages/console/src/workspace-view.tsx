import type { QueryRun } from "@quern/client";
import { useClient } from "@quern/react";
import { useMutation } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { faultOf, parameterNamesOf, valuesOf } from "./editor/parameter.ts";
import { ParameterInputs } from "./editor/parameter-fields.tsx";
import { SqlEditor, type SqlEditorHandle } from "./editor/sql-editor.tsx";
import type { SqlError } from "./editor/sql-error.ts";
import { type Statement, statementAt } from "./editor/statement.ts";
import { RunView } from "./run/run-view.tsx";
import { startRun } from "./run/start-run.ts";
import { runLink } from "./run-link.ts";
import { DataSourceSelect } from "./schema/data-source-select.tsx";
import { serviceUrl } from "./session/service-client.ts";
import { copyText } from "./share/clipboard.ts";
import { PROGRAMS, programOf } from "./share/copy-as.ts";
import { Menu } from "./share/menu.tsx";
import type { Tab } from "./workspace/tab.ts";

interface WorkspaceProps {
  readonly tab: Tab;
  /** Runs the statement of the tab once it is shown. */
  readonly runsAtStart: boolean;
  readonly onStarted: () => void;
  readonly onChange: (members: Partial<Tab>) => void;
  readonly editor: RefObject<SqlEditorHandle | null>;
}

/** A tab: its statement, the values of its parameters, and its last run. Another tab needs another view: set `key`. */
export function Workspace({ tab, runsAtStart, onStarted, onChange, editor }: WorkspaceProps) {
  const client = useClient();
  const [failed, setFailed] = useState<QueryRun>();
  const [message, setMessage] = useState("");
  const names = useMemo(() => parameterNamesOf(tab.sql), [tab.sql]);

  const requestOf = (statement: Statement) => {
    const own = parameterNamesOf(statement.sql);
    const parameters = own.length === 0 ? undefined : valuesOf(own, tab.parameters);
    return { statement, parameters, dataSource: tab.dataSource };
  };
  const start = useMutation({
    networkMode: "always",
    mutationFn: (statement: Statement) => startRun(client, requestOf(statement)),
    onSuccess: (run) => onChange({ run }),
  });

  function run(statement = editor.current?.statement()) {
    if (statement === undefined) return setMessage("There is no statement at the cursor.");
    const faulty = parameterNamesOf(statement.sql).find((name) =>
      faultOf(tab.parameters[name] ?? { text: "", type: "text" }),
    );
    if (faulty !== undefined)
      return setMessage(
        `Invalid value of $${faulty}: ${faultOf(tab.parameters[faulty] ?? { text: "", type: "text" })}`,
      );
    setMessage("");
    start.mutate(statement);
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
          text={tab.sql}
          dataSource={tab.dataSource}
          error={error}
          onChange={(sql) => onChange({ sql })}
          onRun={() => run()}
        />
      </div>
      <ParameterInputs names={names} fields={tab.parameters} onChange={(parameters) => onChange({ parameters })} />
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
            {start.error.message}
          </span>
        )}
      </div>
      {tab.run !== undefined && (
        <RunView
          key={tab.run.queryRunId}
          queryRunId={tab.run.queryRunId}
          fileName={tab.name}
          layout={tab}
          onLayout={onChange}
          onRun={onRun}
        />
      )}
    </>
  );
}
