import type { QueryRun } from "@quern/client";
import { Fragment } from "react";

/** Reason why a run has no result. */
export function RunFailure({ run }: { readonly run: QueryRun }) {
  const { errorName, errorMessage, errorData } = run;
  if (run.state === "QUERY_STATE_CANCELED") return <p className="message">The run was canceled. It has no result.</p>;
  const { line, column, candidates = [], retryable } = errorData ?? {};
  return (
    <div className="message failure" role="alert">
      <strong>{errorName}</strong>
      {line !== undefined && <span>{` in line ${line}, column ${column} of the statement`}</span>}
      <pre>{errorMessage}</pre>
      {candidates.length > 0 && (
        <p>
          Did you mean{" "}
          {candidates.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && ", "}
              <code>{name}</code>
            </Fragment>
          ))}
          ?
        </p>
      )}
      {retryable === true && <p>The same statement may succeed when you run it again.</p>}
    </div>
  );
}
