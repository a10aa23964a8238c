import { firstTenantId } from "../identity/first-key.ts";
import type { Principal } from "../identity/principal.ts";
import type { Service } from "../service.ts";
import type { RunCaps } from "../store/run-store.ts";

/** What a tenant has where the operator says nothing else. */
const defaultCaps: RunCaps = { maxUnfinishedRuns: 15, maxRunningRuns: 5 };

/** The caps for a caller's runs. The first key's tenant has those alone that the operator sets. */
export function runCaps({ tenantId }: Principal, limits: Service["limits"]): RunCaps {
  const defaults = tenantId === firstTenantId ? {} : defaultCaps;
  return {
    maxUnfinishedRuns: limits.maxUnfinishedRuns ?? defaults.maxUnfinishedRuns,
    maxRunningRuns: limits.maxRunningRunsOfTenant ?? defaults.maxRunningRuns,
    maxQueuedRuns: limits.maxQueuedRuns,
  };
}
