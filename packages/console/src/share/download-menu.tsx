import { getQueryRunDownload } from "@quern/client";
import { useClient } from "@quern/react";
import type { GridView } from "../grid/grid-view.ts";
import { Menu } from "./menu.tsx";

const FORMATS = [
  ["CSV", "csv"],
  ["JSON Lines", "ndjson"],
  ["Parquet", "parquet"],
  ["Arrow", "arrow"],
] as const;

interface DownloadMenuProps {
  readonly queryRunId: string;
  readonly fileName: string;
  readonly view: GridView;
  /** True if the grid shows the columns in another order than the file has. */
  readonly isMoved: boolean;
  readonly onMessage: (message: string) => void;
}

/** Downloads all rows of the stored result, or the rows and the order that the grid shows. */
export function DownloadMenu({ queryRunId, fileName, view, isMoved, onMessage }: DownloadMenuProps) {
  const client = useClient();
  const isWhole = view.filters.length === 0 && view.sortBy.length === 0;

  async function download(format: string, { sortBy, filters }: Partial<GridView>) {
    try {
      const { url } = await getQueryRunDownload(client, { queryRunId, format, fileName, sortBy, filters });
      const link = document.createElement("a");
      link.href = new URL(url, client.url).href;
      link.download = "";
      link.click();
      onMessage(isMoved ? "The file has the columns in the order of the statement." : "");
    } catch (error) {
      onMessage(`Cannot download: ${Object(error).message}`);
    }
  }
  const itemsOf = (suffix: string, rows: Partial<GridView>) =>
    FORMATS.map(([label, format]) => ({ label: `${label}${suffix}`, onSelect: () => void download(format, rows) }));
  return (
    <Menu
      label="Download"
      items={isWhole ? itemsOf("", {}) : [...itemsOf(", as shown", view), ...itemsOf(", all rows", {})]}
    />
  );
}
