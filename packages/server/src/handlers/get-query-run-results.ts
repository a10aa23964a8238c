import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { GetQueryRunResultsParams } from "@quern/protocol/types";
import type { Context, Service } from "./context.ts";
import { findRun } from "./lookup.ts";
import { type PageDependencies, resultPage } from "./result-page.ts";

export async function getQueryRunResults(
  params: GetQueryRunResultsParams,
  context: Context,
  service: PageDependencies & Pick<Service, "store">,
): Promise<Preencoded> {
  const run = await findRun(service.store.runs, context.principal, params.queryRunId);
  return preencoded(await resultPage(run, params, context, service));
}
