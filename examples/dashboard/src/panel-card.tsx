import { useQueryResults } from "@quern/react";
import { useId, useRef, useState } from "react";
import type { Panel } from "./panel.ts";
import { Drawing } from "./views/drawing.tsx";
import { Table } from "./views/table.tsx";

/** Shows a panel with its heading and its rows, a placeholder while they load, or an error with a button to retry. */
export function PanelCard({ panel: { title, unit, sql, view } }: { readonly panel: Panel }) {
  const element = useRef<HTMLElement>(null);
  const titleId = useId();
  const [asTable, setAsTable] = useState(false);
  const { data, error, isLoading, refresh } = useQueryResults({ sql, maxAgeMinutes: 60 }, { element });
  const isDrawn = view.kind !== "table" && view.kind !== "figure";

  function content() {
    if (!data) {
      if (isLoading) return <div className="waiting" />;
      return (
        <div className="message" role="alert">
          <p>{error?.message ?? "Canceled"}</p>
          <button type="button" onClick={() => void refresh()}>
            Try again
          </button>
        </div>
      );
    }
    if (data.rows.length === 0) return <p className="message">No rows.</p>;
    if (asTable || view.kind === "table") {
      return <Table names={data.columnNames} keys={data.rowKeys} rows={data.rows} label={title} />;
    }
    return <Drawing view={view} rows={data.rows} />;
  }

  return (
    <article ref={element} className={`panel ${view.kind}`} aria-labelledby={titleId} aria-busy={isLoading}>
      <header>
        <h3 id={titleId}>{title}</h3>
        <p className="unit">{unit}</p>
        {isDrawn && (
          <button
            type="button"
            disabled={!data}
            aria-pressed={asTable}
            aria-label={`${title} as a table`}
            onClick={() => setAsTable(!asTable)}
          >
            Table
          </button>
        )}
      </header>
      {content()}
    </article>
  );
}
