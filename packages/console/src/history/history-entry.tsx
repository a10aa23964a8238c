import type { QueryRun } from "@quern/client";
import { getSqlStatementOptions, useMethod } from "@quern/react";
import { visible } from "../grid/cell-text.ts";
import { rowsText } from "../grid/count-text.ts";
import { durationText, elapsedOf, isFinal, stateLabel } from "../run/run-state.ts";

const SHOWN_LENGTH = 160;

interface HistoryEntryProps {
  readonly run: QueryRun;
  readonly showsUser: boolean;
  readonly onOpen: (run: QueryRun, sql: string) => void;
}

/** A run with its statement. A click opens its result. */
export function HistoryEntry({ run, showsUser, onOpen }: HistoryEntryProps) {
  const { sqlStatementId, state, createdAt, rowCount } = run;
  // The text of a statement never changes.
  const { data } = useMethod(getSqlStatementOptions, { sqlStatementId }, { staleTime: Number.POSITIVE_INFINITY });
  const sql = data?.sqlStatement.sql;
  return (
    <li>
      <button type="button" disabled={sql === undefined} onClick={() => sql !== undefined && onOpen(run, sql)}>
        <code>
          <bdi>{visible((sql ?? "…").replace(/\s+/g, " ").slice(0, SHOWN_LENGTH))}</bdi>
        </code>
        <span className="quiet">
          <span className={`state ${state}`}>{stateLabel(state)}</span>
          {showsUser && ` · ${visible(run.userId)}`}
          {` · ${new Date(createdAt).toLocaleString()}`}
          {isFinal(state) && ` · ${durationText(elapsedOf(run, 0))}`}
          {rowCount !== null && ` · ${rowsText(rowCount)}`}
        </span>
      </button>
    </li>
  );
}
