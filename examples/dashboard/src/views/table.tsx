import type { UntypedRow } from "@quern/client";
import { cellText } from "../number.ts";

const MOST_ROWS = 100;

interface TableProps {
  readonly label: string;
  /** Headings of the columns. */
  readonly names: readonly string[];
  /** Keys of the rows, one for each column: names may repeat, keys do not. */
  readonly keys: readonly string[];
  readonly rows: readonly UntypedRow[];
}

/** The rows as text. It scrolls by itself, so it can be reached with the keyboard. */
export function Table({ label, names, keys, rows }: TableProps) {
  const shown = rows.slice(0, MOST_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section className="rows" aria-label={`${label}, rows`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {keys.map((key, index) => (
              <th key={key} scope="col" className={kindOf(shown[0]?.[key])}>
                {names[index]?.replaceAll("_", " ")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            // Rows may be equal, and those of a result never move.
            <tr key={index}>
              {keys.map((key) => (
                <td key={key} className={kindOf(row[key])}>
                  {cellText(row[key])}
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
