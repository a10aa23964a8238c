import type { RunPage } from "@quern/adapter";
import type { QueryRun } from "@quern/protocol/types";

/** Returns the runs of a page, which are in their wire format. */
export function runsOf({ json }: RunPage): readonly QueryRun[] {
  return JSON.parse(new TextDecoder().decode(json)) as readonly QueryRun[];
}
