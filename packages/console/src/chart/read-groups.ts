import type { Client } from "@quern/client";
import type { ChartEntry } from "./chart-data.ts";
import type { ChartRequest } from "./chart-plan.ts";

interface ReadGroups {
  readonly entries: readonly ChartEntry[];
  readonly rowCount: number;
  readonly groups: { readonly count: number; readonly returned: number };
}

/** Asks the service for the groups of a chart. */
export async function readGroups(_client: Client, { rowCount }: ChartRequest): Promise<ReadGroups> {
  throw new Error(`The console cannot reduce the ${rowCount} rows of this result yet; add a filter, or draw each row.`);
}
