import type { QueryRun } from "@quern/client";
import { useClient } from "@quern/react";
import { type FormEvent, lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import type { TabChart } from "../chart/chart-settings.ts";
import { CellPanel } from "../grid/cell-panel.tsx";
import { visible } from "../grid/cell-text.ts";
import { arrangedPage, arrangedRow, type ColumnLayout, columnOrder, isOwnOrder, moved } from "../grid/column-order.ts";
import { COPY_FORMATS, type CopyFormat, copiedText } from "../grid/copy-format.ts";
import { FilterBar } from "../grid/filter-bar.tsx";
import { type Cell, type GridSelection, rangeOf } from "../grid/grid-selection.ts";
import { type GridView, keptView } from "../grid/grid-view.ts";
import { readRange } from "../grid/read-range.ts";
import { type GridHandle, ResultGrid } from "../grid/result-grid.tsx";
import { useGridPages } from "../grid/use-grid-pages.ts";
import { copyText } from "../share/clipboard.ts";
import { DownloadMenu } from "../share/download-menu.tsx";
import { Menu } from "../share/menu.tsx";
import type { TabView } from "../workspace/tab.ts";
import "../grid/grid.css";
import { countText } from "../grid/count-text.ts";

/** Charts and profiles are chunks of their own, for few runs need them. */
const ChartView = lazy(async () => ({ default: (await import("../chart/chart-view.tsx")).ChartView }));
const ProfilePanel = lazy(async () => ({ default: (await import("../profile/profile-panel.tsx")).ProfilePanel }));

/** Settings with which a tab shows a result, and the functions that change them. */
export interface ResultSettings {
  readonly fileName: string;
  readonly layout: ColumnLayout;
  readonly onLayout: (layout: ColumnLayout) => void;
  readonly chart: TabChart | undefined;
  readonly onChart: (chart: TabChart) => void;
  readonly view: TabView | undefined;
  readonly onView: (view: TabView) => void;
}

interface ResultViewProps extends ResultSettings {
  readonly run: QueryRun;
}

const START: Cell = { row: 0, column: 0 };
const NO_WIDTHS = {};
const NO_ORDER: readonly string[] = [];

/** The result of a run: its grid, and what can be done with its rows. Another run needs another view: set `key`. */
export function ResultView({ run, fileName, layout, onLayout, chart, onChart, view: kept, onView }: ResultViewProps) {
  const client = useClient();
  const grid = useRef<GridHandle>(null);
  const view = useMemo(() => keptView(kept, run.id), [kept, run.id]);
  const [selection, setSelection] = useState<GridSelection>({ active: START, anchor: START });
  const [range, setRange] = useState({ first: 0, end: 1 });
  const [opened, setOpened] = useState<Cell>();
  /** Name of the column of the open profile. */
  const [profiled, setProfiled] = useState<string>();
  const [message, setMessage] = useState("");
  const onRange = useCallback((next: typeof range) => setRange(next), []);
  const pages = useGridPages(run.id, run.columnEngineTypes?.length, view, range);
  const { error } = pages;
  const { columnWidths = NO_WIDTHS, columnOrder: placed = NO_ORDER } = layout;
  // A view that the service refuses has no page: the columns of the page before it stay, and its filters can be removed.
  const known = useRef(pages.head);
  if (pages.head !== undefined) known.current = pages.head;
  const columns = known.current;
  const names = columns?.columnNames ?? NO_ORDER;
  const order = useMemo(() => columnOrder(names, placed), [names, placed]);
  const isMoved = !isOwnOrder(order);
  const head = useMemo(() => columns && arrangedPage(columns, order), [columns, order]);
  const rowAt = (index: number) => {
    const row = pages.rowAt(index);
    return row === undefined || !isMoved ? row : arrangedRow(row, order);
  };

  async function copy(format: CopyFormat) {
    try {
      const cells = await readRange(client, run.id, view, rangeOf(selection), order);
      await copyText(copiedText(format, cells));
      setMessage(
        `Copied ${countText(cells.rows.length * cells.names.length)} cells as ${format}${isMoved ? ", columns as shown" : ""}.`,
      );
    } catch (reason) {
      setMessage(Object(reason).message);
    }
  }
  function goTo(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const number = Number(String(new FormData(event.currentTarget).get("row")).replace(/\D/g, ""));
    if (number > 0) grid.current?.goTo(number - 1);
  }
  function moveColumn(from: number, to: number) {
    const column = Math.max(0, Math.min(order.length - 1, to));
    if (column === from) return;
    onLayout({ columnOrder: moved(order, from, column).map((index) => names[index] ?? "") });
    const cell = { ...selection.active, column };
    setSelection({ active: cell, anchor: cell });
    setMessage(`Moved ${visible(names[order[from] ?? 0] ?? "")} to column ${column + 1} of ${order.length}.`);
  }
  function changeView(next: GridView) {
    onView({ ...next, queryRunId: run.id });
    setSelection(({ active }) => {
      const cell = { ...active, row: Math.min(0, active.row) };
      return { active: cell, anchor: cell };
    });
  }

  if (head === undefined)
    return error === null ? (
      <p className="message">Reading the result…</p>
    ) : (
      <p role="alert" className="message failure">
        {error.message}
      </p>
    );
  const rowCount = pages.head?.page?.totalRows ?? 0;
  const isChart = chart?.isShown === true;
  const isWhole = view.filters.length === 0;
  return (
    <section className="result" aria-label="Result of the run">
      <div className="toolbar">
        {(["Grid", "Chart"] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={isChart === (each === "Chart")}
            onClick={() => onChart({ ...chart, isShown: each === "Chart" })}
          >
            {each}
          </button>
        ))}
        <span role="status">
          {isWhole || error !== null ? "" : `${countText(rowCount)} of ${countText(run.rowCount ?? 0)} rows`}
        </span>
        <FilterBar head={head} view={view} column={selection.active.column} onView={changeView} />
        <form onSubmit={goTo} aria-label="Go to row">
          <label>
            Row <input name="row" inputMode="numeric" size={8} />
          </label>
          <button type="submit">Go</button>
        </form>
        <Menu
          label="Copy"
          items={COPY_FORMATS.map((format) => ({ label: format, onSelect: () => void copy(format) }))}
        />
        {(isMoved || columnWidths !== NO_WIDTHS) && (
          <button type="button" onClick={() => onLayout({ columnOrder: undefined, columnWidths: undefined })}>
            Reset columns
          </button>
        )}
        <DownloadMenu queryRunId={run.id} fileName={fileName} view={view} isMoved={isMoved} onMessage={setMessage} />
        <span role="status" className="quiet">
          {message}
        </span>
      </div>
      {error !== null && (
        <p role="alert" className="message failure">
          {error.message}
        </p>
      )}
      {isChart && pages.head !== undefined && (
        <Suspense fallback={<p className="message">Reading the chart…</p>}>
          <ChartView
            queryRunId={run.id}
            head={pages.head}
            view={view}
            rowCount={rowCount}
            fileName={fileName}
            settings={chart.settings}
            onSettings={(settings) => onChart({ isShown: true, settings })}
          />
        </Suspense>
      )}
      <div className="split" hidden={isChart}>
        <ResultGrid
          ref={grid}
          head={head}
          rowCount={rowCount}
          rowAt={rowAt}
          view={view}
          selection={selection}
          widths={columnWidths}
          onView={changeView}
          onSelect={(next) => {
            setSelection(next);
            if (opened !== undefined) setOpened(next.active);
          }}
          onWidths={(widths) => onLayout({ columnWidths: widths })}
          onMove={moveColumn}
          onRange={onRange}
          onOpen={(cell) => {
            setOpened(cell);
            setProfiled(undefined);
          }}
          onCopy={() => void copy("TSV")}
          onProfile={(column) => {
            setProfiled(head.columnNames?.[column]);
            setOpened(undefined);
          }}
          onEscape={() => {
            setOpened(undefined);
            setProfiled(undefined);
          }}
        />
        {opened !== undefined && opened.row >= 0 && rowAt(opened.row) !== undefined && (
          <CellPanel
            key={`${opened.row} ${opened.column}`}
            name={head.columnNames?.[opened.column] ?? ""}
            engineType={head.columnEngineTypes?.[opened.column] ?? ""}
            rowNumber={opened.row + 1}
            value={rowAt(opened.row)?.[opened.column]}
            onClose={() => setOpened(undefined)}
          />
        )}
        {profiled !== undefined && (
          <Suspense>
            <ProfilePanel
              key={profiled}
              queryRunId={run.id}
              column={profiled}
              view={view}
              onView={changeView}
              onClose={() => {
                setProfiled(undefined);
                grid.current?.focus();
              }}
            />
          </Suspense>
        )}
      </div>
    </section>
  );
}
