import type { TenantRecord, TenantSettings } from "@quern/adapter";
import { limitFault } from "../common/limits.ts";
import { toName } from "./keys.ts";
import { AdministrationError, inDataDirectory } from "./open-directory.ts";

/**
 * Changes what a tenant may use, at once; runs that wait are begun within seconds of a higher limit. Null takes a limit
 * away. @throws {AdministrationError}
 */
export async function setTenant(dataDir: string, tenant: string, settings: TenantSettings): Promise<void> {
  const id = toName("tenant", tenant);
  const limits = Object.entries(settings).filter(([, value]) => value !== null);
  const fault = limitFault(Object.fromEntries(limits));
  if (fault !== undefined) throw new AdministrationError(fault);
  const set = inDataDirectory(
    dataDir,
    async ({ tenants, audit }) => {
      await tenants.set(id, settings);
      audit({ action: "tenant.set", tenantId: id, userId: null, ...settings });
    },
    { make: true },
  );
  return set;
}

export function listTenants(dataDir: string): Promise<readonly TenantRecord[]> {
  return inDataDirectory(dataDir, ({ tenants }) => tenants.all());
}
