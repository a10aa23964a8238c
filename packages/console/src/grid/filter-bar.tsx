import type { Filter, GetQueryRunResultsResult, Scalar } from "@quern/client";
import { type FormEvent, useId, useState } from "react";
import { visible } from "./cell-text.ts";
import type { GridView } from "./grid-view.ts";

interface Operator {
  readonly label: string;
  readonly needsValue: boolean;
  filterOf(column: string, value: Scalar): Filter;
}

const OPERATORS: readonly Operator[] = [
  { label: "=", needsValue: true, filterOf: (column, eq) => ({ column, eq }) },
  { label: "≠", needsValue: true, filterOf: (column, neq) => ({ column, neq }) },
  { label: "<", needsValue: true, filterOf: (column, lt) => ({ column, lt }) },
  { label: "≤", needsValue: true, filterOf: (column, lte) => ({ column, lte }) },
  { label: ">", needsValue: true, filterOf: (column, gt) => ({ column, gt }) },
  { label: "≥", needsValue: true, filterOf: (column, gte) => ({ column, gte }) },
  {
    label: "contains",
    needsValue: true,
    filterOf: (column, value) => ({ column, ilike: `%${String(value).replace(/[\\%_]/g, "\\$&")}%` }),
  },
  { label: "is NULL", needsValue: false, filterOf: (column) => ({ column, eq: null }) },
  { label: "is not NULL", needsValue: false, filterOf: (column) => ({ column, neq: null }) },
];

interface FilterBarProps {
  readonly head: GetQueryRunResultsResult;
  readonly view: GridView;
  /** Column that the form proposes. */
  readonly column: number;
  readonly onView: (view: GridView) => void;
}

/** The filters of a result, and the form that adds one. The service applies them to the stored rows. */
export function FilterBar({ head, view, column, onView }: FilterBarProps) {
  const id = useId();
  const [label, setLabel] = useState("=");
  const [chosen, setChosen] = useState<number>();
  const names = head.columnNames ?? [];
  const operator = OPERATORS.find((each) => each.label === label);
  const index = chosen ?? column;

  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("value") ?? "");
    const name = names[index];
    if (name === undefined || operator === undefined) return;
    const filter = operator.filterOf(name, scalarOf(text, head.columnTypes?.[index] ?? "string"));
    onView({ ...view, filters: [...view.filters, filter] });
    event.currentTarget.reset();
    setChosen(undefined);
  }
  return (
    <form className="filters" aria-label="Filters" onSubmit={add}>
      {view.filters.map((filter, position) => (
        <button
          key={position}
          type="button"
          className="chip"
          title="Remove the filter"
          onClick={() => onView({ ...view, filters: view.filters.filter((each) => each !== filter) })}
        >
          <bdi>{visible(filterText(filter))}</bdi> ×
        </button>
      ))}
      <label htmlFor={`${id}-column`}>Filter</label>
      <select id={`${id}-column`} value={index} onChange={({ target }) => setChosen(Number(target.value))}>
        {names.slice(0, 500).map((name, position) => (
          <option key={position} value={position}>
            {visible(name)}
          </option>
        ))}
        {index >= 500 && <option value={index}>{visible(names[index] ?? "")}</option>}
      </select>
      <select aria-label="Comparison" value={label} onChange={({ target }) => setLabel(target.value)}>
        {OPERATORS.map((each) => (
          <option key={each.label}>{each.label}</option>
        ))}
      </select>
      {operator?.needsValue && <input name="value" aria-label="Value" size={12} spellCheck={false} />}
      <button type="submit">Add filter</button>
    </form>
  );
}

/** Returns the value to compare with a column of a type. A number that JavaScript cannot hold stays text, with its digits. */
function scalarOf(text: string, type: string): Scalar {
  const number = Number(text);
  if (type === "number" && text.trim() !== "" && String(number) === text.trim()) return number;
  if (type === "boolean" && /^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === "true";
  return text;
}

function filterText({ column, ...comparisons }: Filter): string {
  const [[name = "", value] = []] = Object.entries(comparisons);
  if (value === null) return `${column} ${name === "eq" ? "is NULL" : "is not NULL"}`;
  const sign = { eq: "=", neq: "≠", lt: "<", lte: "≤", gt: ">", gte: "≥", ilike: "like" }[name] ?? name;
  return `${column} ${sign} ${value}`;
}
