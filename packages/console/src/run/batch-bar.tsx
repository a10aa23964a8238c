import type { Batch, BatchEntry, TabRun } from "../workspace/tab.ts";
import { stateLabel } from "./run-state.ts";
import { useRun } from "./use-run.ts";

interface BatchBarProps {
  readonly batch: Batch;
  /** Run that the tab shows. */
  readonly shown: string | undefined;
  readonly onSelect: (run: TabRun) => void;
}

/** Statements of a batch with the states of their runs, to choose the run that the tab shows. */
export function BatchBar({ batch, shown, onSelect }: BatchBarProps) {
  const refused = batch.entries.findIndex(({ refusal }) => refusal !== undefined);
  return (
    <nav className="batch" aria-label="Runs of the statements">
      {batch.entries.map((entry, index) =>
        entry.queryRunId === undefined ? (
          <button key={index} type="button" disabled title={entry.statement.sql.slice(0, 500)}>
            <Title entry={entry} index={index} />
            <span>Not run</span>
          </button>
        ) : (
          <StartedEntry
            key={index}
            entry={entry}
            index={index}
            queryRunId={entry.queryRunId}
            isShown={entry.queryRunId === shown}
            onSelect={onSelect}
          />
        ),
      )}
      {refused >= 0 && (
        <span role="alert" className="failure">
          {`Statement ${refused + 1} was not started: ${batch.entries[refused]?.refusal}`}
        </span>
      )}
    </nav>
  );
}

interface StartedEntryProps {
  readonly entry: BatchEntry;
  readonly index: number;
  readonly queryRunId: string;
  readonly isShown: boolean;
  readonly onSelect: (run: TabRun) => void;
}

function StartedEntry({ entry, index, queryRunId, isShown, onSelect }: StartedEntryProps) {
  const { run } = useRun(queryRunId);
  return (
    <button
      type="button"
      aria-pressed={isShown}
      title={entry.statement.sql.slice(0, 500)}
      onClick={() => onSelect({ queryRunId, statement: entry.statement })}
    >
      <Title entry={entry} index={index} />
      <span className={run?.state}>{run === undefined ? "…" : stateLabel(run.state)}</span>
    </button>
  );
}

function Title({ entry, index }: Pick<StartedEntryProps, "entry" | "index">) {
  const [line = ""] = entry.statement.sql.split("\n");
  return (
    <>
      <span className="quiet">{index + 1}</span>
      <code>{line.length > 32 ? `${line.slice(0, 31)}…` : line}</code>
    </>
  );
}
