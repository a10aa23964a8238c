import { cancelQueryRun, type QuernError, type QueryRun } from "@quern/client";
import { useClient } from "@quern/react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { visible } from "../grid/cell-text.ts";
import { rowsText } from "../grid/count-text.ts";
import { durationText, elapsedOf, hasSucceeded, isFinal, sizeText, stateLabel } from "./run-state.ts";

interface RunBarProps {
  readonly run: QueryRun;
  /** Failure of the last poll. */
  readonly error: QuernError | null;
}

/** State of a run, its progress, and the button that cancels it. */
export function RunBar({ run, error }: RunBarProps) {
  const client = useClient();
  const cancel = useMutation({ mutationFn: () => cancelQueryRun(client, { queryRunId: run.id }) });
  const isOver = isFinal(run.state);
  const now = useNow(!isOver);
  return (
    <section className="run-bar" aria-label="Run">
      <span className={`state ${run.state}`} role="status">
        {stateLabel(run.state)}
      </span>
      {run.queuePosition !== undefined && <span>{`position ${run.queuePosition}`}</span>}
      {run.waitReason !== undefined && <span>{run.waitReason}</span>}
      {run.progress !== undefined && (
        <>
          <progress value={run.progress} aria-label="Progress" />
          <span>{`${Math.floor(run.progress * 100)} %`}</span>
        </>
      )}
      <span className="elapsed">{durationText(elapsedOf(run, now))}</span>
      {hasSucceeded(run) && (
        <>
          <span>{rowsText(run.rowCount ?? 0)}</span>
          <span className="quiet">{sizeText(Number(run.totalSize ?? 0))}</span>
        </>
      )}
      {!isOver && (
        <button type="button" onClick={() => cancel.mutate()} disabled={cancel.isPending}>
          Cancel
        </button>
      )}
      {!isOver && error !== null && <span role="alert">The service does not answer; trying again.</span>}
      {!isOver && cancel.isError && <span role="alert">{`Cannot cancel: ${cancel.error.message}`}</span>}
      {Object.entries(run.tags).map(([key, value]) => (
        <bdi key={key} className="quiet" title="Tag of the run">
          {visible(`${key}: ${value}`)}
        </bdi>
      ))}
      <code className="run-id quiet" title="Id of the run">
        {run.id}
      </code>
    </section>
  );
}

/** Returns the time, ten times a second while `ticks` is true. */
function useNow(ticks: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}
