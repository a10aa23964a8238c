import { cancelQueryRun, listQueryRuns, type QueryRun } from "@quern/client";
import { getSqlStatementOptions, methodKey, useClient, useMethod } from "@quern/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import { durationText, elapsedOf, isFinal, stateLabel } from "../run/run-state.ts";

const SHOWN_LENGTH = 120;

export interface RunActions {
  /** Opens a run in a tab. Runs nothing. */
  readonly onOpen: (run: QueryRun, sql: string) => void;
}

/** A run of any user of the tenant, with the button that cancels it. */
export function RunRow({ run, onOpen }: RunActions & { readonly run: QueryRun }) {
  const { id, sqlStatementId, state, userId, dataSourceId, createdAt, startedAt, rowCount, waitReason } = run;
  const client = useClient();
  const queryClient = useQueryClient();
  // The text of a statement never changes.
  const { data } = useMethod(getSqlStatementOptions, { sqlStatementId }, { staleTime: Number.POSITIVE_INFINITY });
  const sql = data?.sqlStatement.sql;
  const cancel = useMutation({
    networkMode: "always",
    mutationFn: () => cancelQueryRun(client, { queryRunId: id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: methodKey(client, listQueryRuns.descriptor.name) }),
  });
  const confirmCancel = () => {
    if (window.confirm(`Cancel the run ${id} of ${visible(userId)} for all who wait for it?`)) cancel.mutate();
  };
  return (
    <tr>
      <td>
        <span className={`state ${state}`}>{stateLabel(state)}</span>
        {waitReason !== undefined && <span className="quiet">{` · ${waitReason}`}</span>}
        {run.errorName !== null && <span className="quiet">{` · ${run.errorName}`}</span>}
      </td>
      <td>
        {!isFinal(state) && (
          <button
            type="button"
            disabled={cancel.isPending}
            aria-label={`Cancel the run of ${userId}`}
            onClick={confirmCancel}
          >
            Cancel
          </button>
        )}
        {cancel.isError && (
          <span role="alert" className="failure">
            {cancel.error.message}
          </span>
        )}
      </td>
      <td>
        <bdi>{visible(userId)}</bdi>
      </td>
      <td>
        <bdi>{visible(dataSourceId)}</bdi>
      </td>
      <td>{timeText(createdAt)}</td>
      <td>{startedAt === null ? "" : timeText(startedAt)}</td>
      <td className="elapsed">{durationText(elapsedOf(run, Date.now()))}</td>
      <td className="number">{rowCount === null ? "" : countText(rowCount)}</td>
      <td>
        <button
          type="button"
          className="statement"
          title={`Open the run ${id}`}
          disabled={sql === undefined}
          onClick={() => sql !== undefined && onOpen(run, sql)}
        >
          <code>
            <bdi>{visible((sql ?? "…").replace(/\s+/g, " ").slice(0, SHOWN_LENGTH))}</bdi>
          </code>
        </button>
      </td>
    </tr>
  );
}

/** Returns a time of today without its date. */
function timeText(time: string): string {
  const date = new Date(time);
  return date.toDateString() === new Date().toDateString() ? date.toLocaleTimeString() : date.toLocaleString();
}
