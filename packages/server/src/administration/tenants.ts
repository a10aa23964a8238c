import type { TenantRecord, TenantSettings, UsageRecord } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { limitFault } from "../common/limits.ts";
import { toName } from "./keys.ts";
import { AdministrationError, changeDataDirectory, inDataDirectory, type ServiceLocation } from "./open-directory.ts";

/**
 * Changes limits of a tenant. Creates the data directory and the tenant if they do not exist. The limits apply to the
 * next call, on servers of a shared store within `storeCacheSeconds`; waiting runs that a higher limit allows start
 * within a third of `leaseSeconds`. Null is no limit, even if the server has one.
 * @throws {AdministrationError} if the name or a limit is invalid
 */
export async function setTenant(service: ServiceLocation, tenant: string, settings: TenantSettings): Promise<void> {
  const id = toName("tenant", tenant);
  const limits = Object.entries(settings).filter(([, value]) => value !== null);
  const fault = limitFault(Object.fromEntries(limits));
  if (fault !== undefined) throw new AdministrationError(fault);
  const set = changeDataDirectory(
    service,
    async ({ tenants, audit }) => {
      await tenants.set(id, settings);
      await audit({ action: "tenant.set", tenantId: id, userId: null, ...settings });
    },
    { make: true },
  );
  return set;
}

/** Tenant that a command has created, or that has stored results. */
export interface ListedTenant extends Omit<TenantRecord, "createdAt"> {
  /** Null for a tenant that no command has created. */
  readonly createdAt: Instant | null;
  /** Bytes of its stored results. */
  readonly storedBytes: number;
}

/**
 * Lists the tenants that `issueKey` or `setTenant` has created, the oldest first, then the others that have stored
 * results.
 * @throws {AdministrationError} if there is no data directory
 */
export function listTenants(service: ServiceLocation): Promise<readonly ListedTenant[]> {
  return inDataDirectory(service, async ({ tenants }) => {
    const stored = new Map((await tenants.allStoredBytes()).map(({ tenantId, bytes }) => [tenantId, bytes]));
    const known = await tenants.all();
    const unset = [...stored.keys()].filter((id) => !known.some((tenant) => tenant.id === id));
    const others = unset.map((id) => ({ id, createdAt: null, settings: {} }));
    return [...known, ...others].map((tenant) => ({ ...tenant, storedBytes: stored.get(tenant.id) ?? 0 }));
  });
}

/**
 * Lists the usage of all users. A running server adds to it every second.
 * @param month such as `2026-11`. @default all months
 * @throws {AdministrationError} if there is no data directory
 */
export function listUsage(service: ServiceLocation, month?: string): Promise<readonly UsageRecord[]> {
  return inDataDirectory(service, ({ usage }) => usage.all(month));
}
