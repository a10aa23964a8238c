import { type Filter, type GetColumnProfileResult, QuernError } from "@quern/client";
import { getColumnProfileOptions, useMethod } from "@quern/react";
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { cellText, exactText, visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import type { GridView } from "../grid/grid-view.ts";
import { Histogram } from "./histogram.tsx";
import "./profile.css";

interface ProfilePanelProps {
  readonly queryRunId: string;
  readonly column: string;
  readonly view: GridView;
  readonly onView: (view: GridView) => void;
  readonly onClose: () => void;
}

/** Profile of a column over the rows that meet the filters: counts, range, frequent values and a histogram. */
export function ProfilePanel({ queryRunId, column, view, onView, onClose }: ProfilePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { data, error, isPlaceholderData } = useMethod(
    getColumnProfileOptions,
    { queryRunId, column, ...(view.filters.length > 0 && { filters: view.filters }) },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData },
  );
  useEffect(() => heading.current?.focus(), []);
  function filter(condition: Filter) {
    onView({ ...view, filters: [...view.filters, condition] });
    // The list has other values then, and the button that has the focus may go.
    heading.current?.focus();
  }
  return (
    <aside
      className="cell-panel profile"
      aria-label={`Profile of ${visible(column)}`}
      aria-busy={data === undefined || isPlaceholderData}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{visible(column)}</bdi>
        </h2>
        <button type="button" onClick={onClose} aria-label="Close the profile" title="Close (Escape)">
          ×
        </button>
      </header>
      {error instanceof QuernError && (
        <p role="alert" className="failure">
          {error.message}
        </p>
      )}
      {data === undefined
        ? error === null && <p className="quiet">Reading the profile…</p>
        : error === null && <Profile profile={data} isFiltered={view.filters.length > 0} onFilter={filter} />}
    </aside>
  );
}

interface ProfileProps {
  readonly profile: GetColumnProfileResult;
  readonly isFiltered: boolean;
  readonly onFilter: (filter: Filter) => void;
}

function Profile({ profile, isFiltered, onFilter }: ProfileProps) {
  const { column, engineType, type, rowCount, nullCount, distinctCount, isDistinctExact, min, max, mean } = profile;
  const { frequentValues, bins } = profile;
  const shown = frequentValues.reduce((sum, { count }) => sum + count, 0);
  const others = rowCount - nullCount - shown;
  const inBins = bins.reduce((sum, { count }) => sum + count, 0);
  const outside = rowCount - nullCount - inBins;
  // The text of a nested value is none that the service compares.
  const canFilter = !/^(object|array|unknown)$/.test(type);
  return (
    <>
      <p className="quiet">{`${engineType} · ${isFiltered ? "rows that meet the filters" : "all rows"}`}</p>
      <dl>
        <Figure name="Rows" text={countText(rowCount)} />
        <Figure name="NULL" text={`${countText(nullCount)}${shareText(nullCount, rowCount)}`} />
        <Figure
          name="Different values"
          text={isDistinctExact ? countText(distinctCount) : `about ${countText(distinctCount)} (an estimate)`}
        />
        {min !== null && <Figure name="Lowest" text={cellText(min)} />}
        {max !== null && <Figure name="Highest" text={cellText(max)} />}
        {mean !== null && <Figure name="Mean" text={cellText(mean)} />}
      </dl>
      {bins.length > 1 && <Histogram column={column} bins={bins} />}
      {bins.length > 0 && outside > 0 && (
        <p className="quiet">{`${countText(outside)} values are not finite and in no bar.`}</p>
      )}
      {frequentValues.length > 0 && (
        <>
          <h3>{isDistinctExact ? "Frequent values" : "Values that are probably the most frequent"}</h3>
          <ul className="frequent">
            {frequentValues.map(({ value, count, isCut }, index) => (
              <li key={index}>
                <button
                  type="button"
                  disabled={isCut || !canFilter}
                  title={
                    isCut ? "The value is longer than 200 characters" : canFilter ? "Filter by the value" : undefined
                  }
                  onClick={() => onFilter({ column, eq: scalarOf(value) })}
                >
                  <bdi>{value === "" ? <span className="empty">empty</span> : cellText(value)}</bdi>
                  {isCut && "…"}
                </button>
                <span className="count">{`${countText(count)}${shareText(count, rowCount)}`}</span>
              </li>
            ))}
          </ul>
          {others > 0 && (
            <p className="quiet">{`Not listed: ${countText(others)} rows with ${isDistinctExact ? "" : "about "}${countText(Math.max(0, distinctCount - frequentValues.length))} other values.`}</p>
          )}
        </>
      )}
    </>
  );
}

function Figure({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{text}</bdi>
      </dd>
    </div>
  );
}

const shareText = (count: number, rowCount: number): string =>
  rowCount === 0 ? "" : ` (${((100 * count) / rowCount).toFixed(1)} %)`;

const scalarOf = (value: unknown): string | number | boolean =>
  typeof value === "number" || typeof value === "boolean" ? value : exactText(value);
