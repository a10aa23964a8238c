import type { UntypedRow } from "@quern/client";
import { cellText } from "../number.ts";

const MAX_ROWS = 100;

interface TableProps {
  readonly label: string;
  /** Headings of the columns. */
  readonly names: readonly string[];
  /** Keys of the rows, one for each column: names may repeat, keys are unique. */
  readonly keys: readonly string[];
  readonly rows: readonly UntypedRow[];
}

/** Table of the rows. It scrolls by itself, so it is focusable for the keyboard. */
export function Table({ label, names, keys, rows }: TableProps) {
  const shown = rows.slice(0, MAX_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by the keyboard
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
            // Rows may be equal, and the rows of a result never change their order.
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
