import type { UntypedRow } from "@quern/client";
import { cellText } from "../number.ts";

const MOST_ROWS = 100;

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly UntypedRow[];
}

/** The rows as text. It scrolls by itself, so it can be reached with the keyboard. */
export function Table({ label, columns, rows }: TableProps) {
  const shown = rows.slice(0, MOST_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section className="rows" aria-label={`${label}, rows`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className={kindOf(shown[0]?.[name])}>
                {name.replaceAll("_", " ")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={columns.map((name) => row[name]).join()}>
              {columns.map((name) => (
                <td key={name} className={kindOf(row[name])}>
                  {cellText(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const kindOf = (value: unknown) => (typeof value === "number" ? "number" : undefined);
