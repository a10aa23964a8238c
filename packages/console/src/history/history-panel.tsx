import type { ListQueryRunsParams, QueryRun } from "@quern/client";
import { listQueryRunsOptions, useMethod } from "@quern/react";
import { useState } from "react";
import { SearchField } from "../panel/search-field.tsx";
import { type ListPage, useCursors } from "../panel/use-cursors.ts";
import { STATES, stateLabel } from "../run/run-state.ts";
import { HistoryEntry } from "./history-entry.tsx";
import { useTypedText } from "./use-typed-text.ts";

const PAGE_RUNS = 30;
/** A run that another window or program has started appears after this time, in milliseconds. */
const REFRESH_MS = 10_000;

interface HistoryPanelProps {
  /** Shows the user of each run: an administrator sees the runs of all users of the tenant. */
  readonly showsUsers: boolean;
  readonly onOpen: (run: QueryRun, sql: string) => void;
}

/** Runs that the caller may see, newest first. To open one runs nothing. */
export function HistoryPanel({ showsUsers, onOpen }: HistoryPanelProps) {
  const [state, setState] = useState("");
  const [text, setText] = useState("");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const [tagText, setTagText] = useState("");
  const searched = useTypedText(text.trim());
  const tags = tagsIn(useTypedText(tagText));
  const conditions: ListQueryRunsParams = {
    limit: PAGE_RUNS,
    ...(state !== "" && { states: [state] }),
    ...(searched !== "" && { text: searched }),
    ...(tags !== undefined && { tags }),
    ...(since !== "" && { since: startOf(since) }),
    ...(until !== "" && { until: startOf(until, 1) }),
  };
  return (
    <section aria-label="History" className="panel">
      <SearchField label="Search the SQL of runs" value={text} maxLength={200} onChange={setText} />
      <div className="conditions">
        <select aria-label="State" value={state} onChange={({ target }) => setState(target.value)}>
          <option value="">All states</option>
          {STATES.map((each) => (
            <option key={each} value={each}>
              {stateLabel(each)}
            </option>
          ))}
        </select>
        <label>
          Tag{" "}
          <input
            value={tagText}
            placeholder="name=value"
            size={14}
            spellCheck={false}
            aria-invalid={tags === undefined}
            title="Tags of the run, such as source=console; several with commas"
            onChange={({ target }) => setTagText(target.value)}
          />
        </label>
        <label>
          From <input type="date" value={since} onChange={({ target }) => setSince(target.value)} />
        </label>
        <label>
          To <input type="date" value={until} onChange={({ target }) => setUntil(target.value)} />
        </label>
      </div>
      {tags === undefined ? (
        <p role="alert">{"Invalid tag: write name=value, such as source=console."}</p>
      ) : (
        <RunPages key={JSON.stringify(conditions)} conditions={conditions} showsUsers={showsUsers} onOpen={onOpen} />
      )}
    </section>
  );
}

/** Returns the start of a day in the time zone of the browser, or of a day after it. */
function startOf(day: string, later = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}

/** Returns the tags of a text such as `source=console, env=test`; undefined if it is no list of tags. */
function tagsIn(text: string): Readonly<Record<string, string>> | undefined {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  const tags = parts.map((part) => part.split(/=(.*)/s).map((side) => side.trim()));
  if (tags.some(([name, value]) => !name || value === undefined)) return undefined;
  return Object.fromEntries(tags);
}

function RunPages({ conditions, ...props }: HistoryPanelProps & { readonly conditions: ListQueryRunsParams }) {
  return useCursors().map(({ cursor, onMore }) => (
    <RunPage key={cursor ?? ""} conditions={{ ...conditions, cursor }} onMore={onMore} {...props} />
  ));
}

interface RunPageProps extends HistoryPanelProps, Pick<ListPage, "onMore"> {
  readonly conditions: ListQueryRunsParams;
}

function RunPage({ conditions, showsUsers, onOpen, onMore }: RunPageProps) {
  const { data, error } = useMethod(listQueryRunsOptions, conditions, {
    // Later pages begin at a cursor, so that new runs do not move them.
    ...(conditions.cursor === undefined && { staleTime: 0, refetchInterval: REFRESH_MS }),
  });
  if (error !== null) return <p role="alert">{error.message}</p>;
  if (data === undefined) return <p className="quiet">Reading the runs…</p>;
  const { queryRuns, nextCursor } = data;
  const none = nextCursor === null ? "No runs." : "No runs among those searched so far.";
  return (
    <>
      {queryRuns.length === 0 && <p className="quiet">{none}</p>}
      <ul className="runs">
        {queryRuns.map((run) => (
          <HistoryEntry key={run.id} run={run} showsUser={showsUsers} onOpen={onOpen} />
        ))}
      </ul>
      {nextCursor !== null && onMore !== undefined && (
        <button type="button" onClick={() => onMore(nextCursor)}>
          Older runs
        </button>
      )}
    </>
  );
}
