import type { Bin } from "@quern/client";
import { cellText, visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";

const WIDTH = 300;
const HEIGHT = 90;

/** Bars of the intervals of a column. The intervals and their counts are also a list. */
export function Histogram({ column, bins }: { readonly column: string; readonly bins: readonly Bin[] }) {
  const highest = Math.max(1, ...bins.map(({ count }) => count));
  const size = WIDTH / bins.length;
  const path = bins
    .map(({ count }, index) => {
      const height = count === 0 ? 0 : Math.max(1, (HEIGHT * count) / highest);
      return `M${index * size},${HEIGHT}v${-height}h${size - 1}v${height}Z`;
    })
    .join("");
  const [first] = bins;
  const last = bins.at(-1);
  return (
    <div className="histogram">
      <svg
        role="img"
        aria-label={`Histogram of ${visible(column)}: ${bins.length} intervals from ${cellText(first?.from)} to ${cellText(last?.to)}, at most ${countText(highest)} rows in one`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path d={path} />
      </svg>
      <p className="range">
        <bdi>{cellText(first?.from)}</bdi>
        <bdi>{cellText(last?.to)}</bdi>
      </p>
      <details>
        <summary>Intervals</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Rows</th>
            </tr>
          </thead>
          <tbody>
            {bins.map(({ from, to, count }, index) => (
              <tr key={index}>
                <td>{cellText(from)}</td>
                <td>{cellText(to)}</td>
                <td className="count">{countText(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}
