import { visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import type { ChartColumn } from "./chart-column.ts";
import { type ChartPlan, MAX_ROWS } from "./chart-plan.ts";
import {
  BIN_COUNTS,
  CHART_KINDS,
  type ChartSettings,
  type Grouping,
  MAX_Y,
  MEASURES,
  TIME_UNITS,
} from "./chart-settings.ts";
import { measureName } from "./chart-text.ts";

interface ChartPickersProps {
  readonly columns: readonly ChartColumn[];
  readonly settings: ChartSettings;
  /** Undefined while the settings lack a column. */
  readonly plan: ChartPlan | undefined;
  readonly rowCount: number;
  readonly onChange: (settings: ChartSettings) => void;
}

const GROUPINGS: readonly Grouping[] = ["value", ...TIME_UNITS, ...BIN_COUNTS];

/** Chooses the kind of a chart, its columns, and how rows are reduced. */
export function ChartPickers({ columns, settings, plan, rowCount, onChange }: ChartPickersProps) {
  const { kind, x, y, series, measure, grouping } = settings;
  const xColumn = columns.find(({ name }) => name === x);
  const isNumber = kind === "number";
  const isCount = measure === "count" && !isNumber;
  const measured = columns.filter((column) => column.kind === "number" || measure === "countDistinct");
  const set = (members: Partial<ChartSettings>) => onChange({ ...settings, ...members });
  const groupings = GROUPINGS.filter(
    (each) => xColumn?.kind === "time" || typeof each === "number" || each === "value",
  );
  return (
    <form className="chart-pickers" aria-label="Chart" onSubmit={(event) => event.preventDefault()}>
      <Picker label="Kind" value={kind} options={CHART_KINDS} onPick={(next) => set({ kind: next })} />
      {!isNumber && <ColumnPicker label="x" columns={columns} value={x} onPick={(next) => set({ x: next })} />}
      {!isCount && (
        <>
          {y.length < MAX_Y && (
            <ColumnPicker
              label="y"
              columns={measured.filter(({ name }) => !y.includes(name))}
              value={undefined}
              empty={y.length === 0 ? "choose" : "add"}
              onPick={(next) => next !== undefined && set({ y: [...y, next] })}
            />
          )}
          {y.map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              title="Remove the column"
              onClick={() => set({ y: y.filter((each) => each !== name) })}
            >
              <bdi>{visible(name)}</bdi> ×
            </button>
          ))}
        </>
      )}
      {!isNumber && (
        <>
          <ColumnPicker
            label="Series"
            columns={columns}
            value={series}
            empty="none"
            onPick={(next) => set({ series: next })}
          />
          <Picker
            label="Values"
            value={rowCount > MAX_ROWS && measure === "none" ? "mean" : measure}
            options={MEASURES.filter((each) => each !== "none" || rowCount <= MAX_ROWS)}
            textOf={measureName}
            onPick={(next) => set({ measure: next })}
          />
        </>
      )}
      {plan?.source === "groups" && /number|time/.test(xColumn?.kind ?? "") && (
        <Picker
          label="Groups"
          value={groupings.includes(grouping) ? grouping : "value"}
          options={groupings}
          textOf={groupingText}
          onPick={(next) => set({ grouping: next })}
        />
      )}
      {rowCount > MAX_ROWS && !isNumber && (
        <span className="quiet">{`More than ${countText(MAX_ROWS)} rows: the service reduces them.`}</span>
      )}
    </form>
  );
}

const groupingText = (grouping: Grouping): string =>
  typeof grouping === "number" ? `${countText(grouping)} intervals` : grouping === "value" ? "each value" : grouping;

interface PickerProps<Value> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly Value[];
  readonly textOf?: (value: Value) => string;
  readonly onPick: (value: Value) => void;
}

function Picker<Value extends string | number>({ label, value, options, textOf = String, onPick }: PickerProps<Value>) {
  return (
    <label>
      {label}{" "}
      <select
        value={options.indexOf(value)}
        onChange={({ target }) => {
          const next = options[Number(target.value)];
          if (next !== undefined) onPick(next);
        }}
      >
        {options.map((option, index) => (
          <option key={option} value={index}>
            {textOf(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ColumnPickerProps {
  readonly label: string;
  readonly columns: readonly ChartColumn[];
  readonly value: string | undefined;
  /** Text of the choice of no column, if it is one. */
  readonly empty?: string;
  readonly onPick: (name: string | undefined) => void;
}

function ColumnPicker({ label, columns, value, empty, onPick }: ColumnPickerProps) {
  const chosen = columns.findIndex(({ name }) => name === value);
  return (
    <label>
      {label}{" "}
      <select value={chosen} onChange={({ target }) => onPick(columns[Number(target.value)]?.name)}>
        {(empty !== undefined || chosen < 0) && <option value={-1}>{empty ?? "choose"}</option>}
        {columns.map(({ name }, index) => (
          <option key={name} value={index}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
