import type { ListQueryRunsParams } from "@quern/client";
import { listQueryRunsOptions, useMethod } from "@quern/react";
import { useState } from "react";
import { type ListPage, useCursors } from "../panel/use-cursors.ts";
import { isFinal, STATES, stateLabel } from "../run/run-state.ts";
import { type RunActions, RunRow } from "./run-row.tsx";
import { ScrolledTable, Section } from "./section.tsx";

const PAGE_RUNS = 50;
const REFRESH_MS = 5000;
const UNFINISHED = STATES.filter((state) => !isFinal(state));

/** Runs of all users of the tenant, at first those that have not ended. */
export function RunsSection({ onOpen }: RunActions) {
  const [shown, setShown] = useState("unfinished");
  const states = shown === "unfinished" ? UNFINISHED : shown === "all" ? undefined : [shown];
  const conditions: ListQueryRunsParams = { limit: PAGE_RUNS, ...(states !== undefined && { states }) };
  const { error, dataUpdatedAt } = useRuns(conditions);
  return (
    <Section title="Runs of the tenant" updatedAt={dataUpdatedAt} error={error}>
      <label>
        Show{" "}
        <select value={shown} onChange={({ target }) => setShown(target.value)}>
          <option value="unfinished">Unfinished runs</option>
          <option value="all">All runs</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {stateLabel(state)}
            </option>
          ))}
        </select>
      </label>
      <ScrolledTable caption="Runs, newest first">
        <thead>
          <tr>
            {["State", "Action", "User", "Source", "Created", "Started", "Time"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col" className="number">
              Rows
            </th>
            <th scope="col">Statement</th>
          </tr>
        </thead>
        <RunPages key={shown} conditions={conditions} onOpen={onOpen} />
      </ScrolledTable>
    </Section>
  );
}

interface RunPagesProps extends RunActions {
  readonly conditions: ListQueryRunsParams;
}

function RunPages({ conditions, onOpen }: RunPagesProps) {
  return useCursors().map(({ cursor, onMore }) => (
    <RunPage key={cursor ?? ""} conditions={{ ...conditions, cursor }} onOpen={onOpen} onMore={onMore} />
  ));
}

function RunPage({ conditions, onOpen, onMore }: RunPagesProps & Pick<ListPage, "onMore">) {
  const { data } = useRuns(conditions);
  const { queryRuns = [], nextCursor = null } = data ?? {};
  return (
    <tbody>
      {queryRuns.map((run) => (
        <RunRow key={run.id} run={run} onOpen={onOpen} />
      ))}
      {data !== undefined && queryRuns.length === 0 && (
        <tr>
          <td colSpan={9} className="quiet">
            No runs.
          </td>
        </tr>
      )}
      {nextCursor !== null && onMore !== undefined && (
        <tr>
          <td colSpan={9}>
            <button type="button" onClick={() => onMore(nextCursor)}>
              Older runs
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** Later pages begin at a cursor, so that new runs do not move them; they are refreshed as well, for their states. */
const useRuns = (conditions: ListQueryRunsParams) =>
  useMethod(listQueryRunsOptions, conditions, { staleTime: 0, refetchInterval: REFRESH_MS });
