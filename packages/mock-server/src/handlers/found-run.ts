import { declaredError } from "../declared-error.ts";
import type { MockRun } from "../mock-run.ts";
import type { Namespace } from "../namespace.ts";

/** The run of an id. @throws MethodError where there is none. */
export function foundRun({ runs }: Namespace, queryRunId: string): MockRun {
  const run = runs.get(queryRunId);
  if (run === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  return run;
}
