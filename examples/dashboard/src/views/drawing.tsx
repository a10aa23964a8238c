import type { UntypedRow } from "@quern/client";
import type { View } from "../panel.ts";
import { Bars } from "./bars.tsx";
import { Columns } from "./columns.tsx";
import { Figure } from "./figure.tsx";
import { Lines } from "./lines.tsx";
import { Points } from "./points.tsx";

interface DrawingProps {
  readonly view: Exclude<View, { kind: "table" }>;
  readonly rows: readonly UntypedRow[];
}

export function Drawing({ view, rows }: DrawingProps) {
  switch (view.kind) {
    case "figure":
      return <Figure rows={rows} {...view} />;
    case "bars":
      return <Bars rows={rows} {...view} />;
    case "columns":
      return <Columns rows={rows} {...view} />;
    case "lines":
      return <Lines rows={rows} {...view} />;
    case "points":
      return <Points rows={rows} {...view} />;
  }
}
