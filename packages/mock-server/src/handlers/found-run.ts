import type { Namespace } from "../namespaces/namespace.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError } from "../wire/declared-error.ts";

/** The run of an id. @throws MethodError where there is none. */
export function foundRun({ runs }: Namespace, queryRunId: string): MockRun {
  const run = runs.get(queryRunId);
  if (run === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  return run;
}
