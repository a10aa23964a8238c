import { preencodedBytes } from "@quern/json-rpc/handler";
import { getQueryRunResultsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { MethodHandlers } from "../generated/handlers.ts";
import { cancelQueryRun } from "./cancel-query-run.ts";
import { completeSql } from "./complete-sql.ts";
import type { Context, Service } from "./context.ts";
import { createQueryRun } from "./create-query-run.ts";
import { createUpload } from "./create-upload.ts";
import { describeQuery } from "./describe-query.ts";
import { getColumnProfile } from "./get-column-profile.ts";
import { getLimits } from "./get-limits.ts";
import { getQueryRun } from "./get-query-run.ts";
import { getQueryRunDownload } from "./get-query-run-download.ts";
import { getQueryRunResults } from "./get-query-run-results.ts";
import { getSqlStatement } from "./get-sql-statement.ts";
import { getUsage } from "./get-usage.ts";
import { listQueryRuns } from "./list-query-runs.ts";
import { listTables } from "./list-tables.ts";
import { summarizeQueryRunResults } from "./summarize-query-run-results.ts";

/** Creates the handler of each method. A missing method of the OpenRPC document is a compile error. */
export function createHandlers(service: Service): MethodHandlers<Context> {
  return {
    createQueryRun: (params, context) => createQueryRun(params, context, service),
    getQueryRun: (params, context) => getQueryRun(params, context, service),
    getQueryRunResults: async (params, context) => {
      const start = performance.now();
      const page = await getQueryRunResults(params, context, service);
      service.telemetry.metrics.pageAnswered((performance.now() - start) / 1_000);
      service.telemetry.read(context, params.queryRunId, preencodedBytes(page), params.format ?? defaults.format);
      return page;
    },
    cancelQueryRun: (params, context) => cancelQueryRun(params, context, service),
    getSqlStatement: (params, context) => getSqlStatement(params, context, service),
    listQueryRuns: (params, context) => listQueryRuns(params, context, service),
    createUpload: (params, context) => createUpload(params, context, service),
    describeQuery: (params, context) => describeQuery(params, context, service),
    listTables: (params, context) => listTables(params, context, service),
    completeSql: (params, context) => completeSql(params, context, service),
    getUsage: (params, context) => getUsage(params, context, service),
    getLimits: (params, context) => getLimits(params, context, service),
    getColumnProfile: async (params, context) => {
      const profile = await getColumnProfile(params, context, service);
      service.telemetry.read(context, params.queryRunId, preencodedBytes(profile), "profile");
      return profile;
    },
    summarizeQueryRunResults: async (params, context) => {
      const summary = await summarizeQueryRunResults(params, context, service);
      service.telemetry.read(context, params.queryRunId, preencodedBytes(summary), "summary");
      return summary;
    },
    getQueryRunDownload: (params, context) => getQueryRunDownload(params, context, service),
  };
}
