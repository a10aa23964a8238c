import type { TenantRecord, TenantSettings } from "../store/tenant-store.ts";
import { AdministrationError, inDataDirectory } from "./data-directory.ts";
import { toName } from "./keys.ts";

/** Changes what a tenant may use, at once; null takes a limit away. @throws {AdministrationError} */
export async function setTenant(dataDir: string, tenant: string, settings: TenantSettings): Promise<void> {
  const id = toName("tenant", tenant);
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null && !(value >= 0 && Number.isFinite(value)))
      throw new AdministrationError(`expected a number from 0 on for ${name}, received ${value}`);
  }
  const set = inDataDirectory(
    dataDir,
    async ({ tenants, now, audit }) => {
      await tenants.set(id, settings, now);
      audit({ action: "tenant.set", tenantId: id, userId: null, ...settings });
    },
    { make: true },
  );
  return set;
}

export function listTenants(dataDir: string): Promise<readonly TenantRecord[]> {
  return inDataDirectory(dataDir, ({ tenants }) => tenants.all());
}
