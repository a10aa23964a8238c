import type { TenantSettings, TenantStore } from "@quern/adapter";
import { limitDefaults } from "../common/limits.ts";
import { firstTenant } from "./api-key.ts";

/** Limits of a tenant; undefined is no limit. */
export interface TenantLimits {
  readonly maxUnfinishedRuns: number | undefined;
  readonly maxRunningRuns: number | undefined;
  readonly requestsPerSecond: number | undefined;
  readonly requestBurst: number | undefined;
  readonly monthlyExecSeconds: number | undefined;
  readonly maxStoredBytes: number | undefined;
}

/**
 * Returns the limits of a tenant: its own settings, or else those of the server, or else the defaults. The defaults do
 * not apply to the first tenant.
 */
export type LimitsOf = (tenantId: string) => Promise<TenantLimits>;

/** Limits of the server. Each applies to the tenants that have no setting of their own for it. */
export interface PresetLimits extends TenantSettings {
  readonly maxRunningRunsOfTenant?: number | null;
}

/**
 * @param defaultStoredBytes default quota of stored results
 * @param slots runs that a server executes at the same time: by default, a tenant leaves one of them to the others
 */
export function createTenantLimits(
  tenants: TenantStore,
  limits: PresetLimits,
  defaultStoredBytes?: number,
  slots = Number.POSITIVE_INFINITY,
): LimitsOf {
  const defaults: TenantSettings = {
    maxUnfinishedRuns: limitDefaults.maxUnfinishedRuns,
    maxRunningRuns: Math.max(1, Math.min(limitDefaults.maxRunningRunsOfTenant, slots - 1)),
    ...(defaultStoredBytes !== undefined && { maxStoredBytes: defaultStoredBytes }),
  };
  const ofServer = { ...limits, maxRunningRuns: limits.maxRunningRunsOfTenant };
  return async (tenantId) => {
    const settings = (await tenants.tenant(tenantId))?.settings ?? {};
    const preset = tenantId === firstTenant.tenantId ? {} : defaults;
    const limit = (name: keyof TenantSettings): number | undefined => {
      const own = settings[name];
      if (own !== undefined) return own ?? undefined; // null is no limit
      return ofServer[name] ?? preset[name] ?? undefined;
    };
    return {
      maxUnfinishedRuns: limit("maxUnfinishedRuns"),
      maxRunningRuns: limit("maxRunningRuns"),
      requestsPerSecond: limit("requestsPerSecond"),
      requestBurst: limit("requestBurst"),
      monthlyExecSeconds: limit("monthlyExecSeconds"),
      maxStoredBytes: limit("maxStoredBytes"),
    };
  };
}
