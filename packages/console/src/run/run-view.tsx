import type { QueryRun } from "@quern/client";
import { lazy, Suspense, useEffect } from "react";
import type { ResultSettings } from "./result-view.tsx";
import { RunBar } from "./run-bar.tsx";
import { RunFailure } from "./run-failure.tsx";
import { hasSucceeded, isFinal } from "./run-state.ts";
import { useRun } from "./use-run.ts";

/** The grid is a chunk of its own, which loads while the first run executes. */
const loadResultView = () => import("./result-view.tsx");
const ResultView = lazy(async () => ({ default: (await loadResultView()).ResultView }));

interface RunViewProps extends ResultSettings {
  readonly queryRunId: string;
  /** Called with the run when its record changes. */
  readonly onRun: (run: QueryRun) => void;
}

/** A run, from the queue to its result. */
export function RunView({ queryRunId, onRun, ...settings }: RunViewProps) {
  const { run, error } = useRun(queryRunId);
  useEffect(() => void loadResultView(), []);
  useEffect(() => {
    if (run !== undefined) onRun(run);
  }, [run, onRun]);
  if (run === undefined) {
    if (error === null) return <p className="message">Reading the run…</p>;
    return (
      <p role="alert" className="message failure">
        {error.kind === "rpc" ? error.message : "The service does not answer; trying again."}
      </p>
    );
  }
  return (
    <>
      <RunBar run={run} error={error} />
      {hasSucceeded(run) ? (
        <Suspense fallback={<p className="message">Reading the result…</p>}>
          <ResultView key={run.id} run={run} {...settings} />
        </Suspense>
      ) : (
        isFinal(run.state) && <RunFailure run={run} />
      )}
    </>
  );
}
