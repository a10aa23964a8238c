import type { QueryRun } from "@quern/protocol/types";
import { toQueryRun } from "@quern/query-run/wire";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import type { MockRun } from "../runs/mock-run.ts";

/** Returns a run in its wire format, with its position while it is queued, and its progress while it executes. */
export function currentQueryRun(run: MockRun, namespace: NamespaceState): QueryRun {
  const { progress } = run;
  const queuePosition = namespace.queuePosition(run);
  return {
    ...toQueryRun(run.record, namespace.clock.now()),
    ...(queuePosition !== undefined && { queuePosition }),
    ...(progress !== undefined && { progress }),
  };
}
