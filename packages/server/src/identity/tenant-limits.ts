import type { TenantSettings, TenantStore } from "@quern/adapter";
import { limitDefaults } from "../common/limits.ts";
import { firstTenant } from "./first-key.ts";

/** What a tenant may use; a missing member is no limit. */
export interface TenantLimits {
  readonly maxUnfinishedRuns: number | undefined;
  readonly maxRunningRuns: number | undefined;
  readonly requestsPerSecond: number | undefined;
  readonly requestBurst: number | undefined;
  readonly monthlyExecSeconds: number | undefined;
}

/** The limits of a tenant: its own settings, else those of the server, else the defaults, of which the first tenant has none. */
export type LimitsOf = (tenantId: string) => Promise<TenantLimits>;

const defaults: TenantSettings = {
  maxUnfinishedRuns: limitDefaults.maxUnfinishedRuns,
  maxRunningRuns: limitDefaults.maxRunningRunsOfTenant,
};

/** Limits of the server for tenants that have no settings of their own. */
export interface PresetLimits extends TenantSettings {
  readonly maxRunningRunsOfTenant?: number | null;
}

export function createTenantLimits(tenants: TenantStore, limits: PresetLimits): LimitsOf {
  const ofServer = { ...limits, maxRunningRuns: limits.maxRunningRunsOfTenant };
  return async (tenantId) => {
    const settings = (await tenants.tenant(tenantId))?.settings ?? {};
    const preset = tenantId === firstTenant.tenantId ? {} : defaults;
    const limit = (name: keyof TenantSettings): number | undefined => {
      const own = settings[name];
      if (own !== undefined) return own ?? undefined;
      return ofServer[name] ?? preset[name] ?? undefined;
    };
    return {
      maxUnfinishedRuns: limit("maxUnfinishedRuns"),
      maxRunningRuns: limit("maxRunningRuns"),
      requestsPerSecond: limit("requestsPerSecond"),
      requestBurst: limit("requestBurst"),
      monthlyExecSeconds: limit("monthlyExecSeconds"),
    };
  };
}
