import type { UntypedRow } from "@quern/client";
import { cellText } from "../number.ts";

/** A single large number. */
export function Figure({ rows, y }: { readonly rows: readonly UntypedRow[]; readonly y: string }) {
  return <p className="large">{cellText(rows[0]?.[y])}</p>;
}
