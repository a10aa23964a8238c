import type { TenantSettings } from "@quern/adapter";
import type { GetLimitsParams, GetLimitsResult } from "@quern/protocol/types";
import { limitTable } from "../generated/limits.ts";
import { burstOf } from "../identity/rate-limit.ts";
import type { TenantLimits } from "../identity/tenant-limits.ts";
import type { Context, Service } from "./context.ts";

/** Limits that calls of a tenant meet. The others protect the machine, and are the operator's. */
const shown = [
  "maxUnfinishedRuns",
  "maxRunningRunsOfTenant",
  "maxQueuedRuns",
  "statementTimeoutSeconds",
  "describeTimeoutSeconds",
  "memoryMegabytes",
  "spillMegabytes",
  "maxResultBytes",
  "maxResultRows",
  "maxStoredBytes",
  "maxUploadBytes",
  "maxUploads",
  "maxUploadedBytes",
  "maxPageBytes",
  "filteredPageTimeoutSeconds",
  "requestsPerSecond",
  "requestBurst",
  "monthlyExecSeconds",
  "maxParameterBytes",
  "maxBodyBytes",
  "maxBatch",
] as const satisfies readonly (keyof typeof limitTable)[];

/** Names of limits that a tenant can have of its own, in the settings of the tenant. */
const ofTenant: Readonly<Partial<Record<(typeof shown)[number], keyof TenantLimits & keyof TenantSettings>>> = {
  maxUnfinishedRuns: "maxUnfinishedRuns",
  maxRunningRunsOfTenant: "maxRunningRuns",
  maxStoredBytes: "maxStoredBytes",
  requestsPerSecond: "requestsPerSecond",
  requestBurst: "requestBurst",
  monthlyExecSeconds: "monthlyExecSeconds",
};

export async function getLimits(
  _: GetLimitsParams,
  { principal: { tenantId } }: Context,
  { store, limitsOf, limits, configuredLimits }: Pick<Service, "configuredLimits" | "limits" | "limitsOf" | "store">,
): Promise<GetLimitsResult> {
  const [ofCallers, tenant] = await Promise.all([limitsOf(tenantId), store.tenants.tenant(tenantId)]);
  const effective = { ...ofCallers, requestBurst: burstOf(ofCallers) };
  return {
    limits: shown.map((name) => {
      const setting = ofTenant[name];
      const isOwn = setting !== undefined && tenant?.settings[setting] !== undefined;
      const { text, unit } = limitTable[name];
      return {
        name,
        description: text,
        unit,
        value: (setting === undefined ? limits[name] : effective[setting]) ?? null,
        origin: isOwn ? "tenant" : configuredLimits[name] === undefined ? "default" : "service",
      };
    }),
  };
}
