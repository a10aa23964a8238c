import { useFirstTables } from "./use-first-tables.ts";

interface DataSourceSelectProps {
  /** Name of the data source; undefined for the default of the service. */
  readonly value: string | undefined;
  readonly onChange: (dataSource: string | undefined) => void;
}

/** Choice of a data source, of those that have tables. */
export function DataSourceSelect({ value, onChange }: DataSourceSelectProps) {
  const tables = useFirstTables();
  const names = [...new Set([...tables.map(({ dataSource }) => dataSource), ...(value ? [value] : [])])];
  return (
    <label>
      Source{" "}
      <select value={value ?? ""} onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}>
        <option value="">Default</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
