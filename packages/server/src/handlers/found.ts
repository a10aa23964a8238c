import type { RunRecord } from "@quern/query-run/record";
import { declaredError } from "../declared-error.ts";
import type { Principal } from "../identity/principal.ts";
import type { SourceCatalog } from "../sources/catalog.ts";
import type { Source } from "../sources/source.ts";
import type { RunStore } from "../store/run-store.ts";

/** The run of an id; that of another tenant does not exist. @throws {MethodError} QueryRunNotFound */
export async function foundRun(store: RunStore, principal: Principal, queryRunId: string): Promise<RunRecord> {
  const run = await store.run(queryRunId);
  if (run?.tenantId !== principal.tenantId) throw declaredError("QueryRunNotFound", { queryRunId });
  return run;
}

/** @throws {MethodError} DataSourceNotFound, DataProviderNotFound */
export function foundSource(sources: SourceCatalog, dataSource?: string, dataProvider?: string): Source {
  const lookup = sources.find(dataSource, dataProvider);
  if ("source" in lookup) return lookup.source;
  const name = lookup.unknown === "dataSource" ? "DataSourceNotFound" : "DataProviderNotFound";
  throw declaredError(name, { [lookup.unknown]: lookup.name });
}
