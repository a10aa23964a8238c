import { byteLength, type Piece } from "@quern/json-rpc/handler";
import { firstPageParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { FirstPageParams } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import type { Context, Service } from "./context.ts";
import { type PageDependencies, resultPage } from "./result-page.ts";

/**
 * Reads the first page of a run for the answer of the call that created it.
 * @returns the result of `getQueryRunResults` as JSON text; undefined if the run has not succeeded, the caller lacks
 *   the scope `read`, or the page cannot be read or does not fit into the reply
 */
export async function firstPage(
  run: RunRecord,
  { format = defaults.format, page = {} }: FirstPageParams,
  context: Context,
  service: PageDependencies & Pick<Service, "telemetry">,
): Promise<readonly Piece[] | undefined> {
  if (run.result === null || !context.principal.scopes.has("read")) return undefined;
  const start = performance.now();
  try {
    const text = await resultPage(run, { format, page }, context, service);
    const bytes = byteLength(text);
    if (!context.reserveReply(bytes)) return undefined;
    service.telemetry.metrics.pageAnswered((performance.now() - start) / 1_000);
    service.telemetry.read(context, run.id, bytes, format);
    return text;
  } catch {
    return undefined; // The run exists, so its caller must learn its id. `getQueryRunResults` reports the error.
  }
}
