import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { StoreFlags, StoreListFlags } from "../../data-directory/flags.ts";
import { withNewDirectory } from "../../data-directory/new-directory.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { timeText, writeDone, writeRows } from "../../output/rows.ts";

type TenantSettings = Parameters<typeof import("@quern/server/administration").setTenant>[2];

/** Value of a limit; null means no limit. */
export interface Limit {
  readonly value: number | null;
}

export type SetTenantFlags = StoreFlags & { readonly [name in keyof TenantSettings]?: Limit };

const names = [
  "maxUnfinishedRuns",
  "maxRunningRuns",
  "requestsPerSecond",
  "requestBurst",
  "monthlyExecSeconds",
  "maxStoredBytes",
] as const;

export const runSetTenant = commandFunction(async (context: Context, flags: SetTenantFlags, tenant: string) => {
  const settings: TenantSettings = Object.fromEntries(
    names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name].value]])),
  );
  if (Object.keys(settings).length === 0) throw new UsageError("missing limit; set one, such as --max-running-runs 10");
  await withNewDirectory(context, flags, () =>
    administer("tenants", context, flags, ({ setTenant }, service) => setTenant(service, tenant, settings)),
  );
  await writeDone(context, flags, "set", [tenant]);
});

export const runListTenants = commandFunction(async (context: Context, flags: StoreListFlags) => {
  const tenants = await administer("tenants", context, flags, ({ listTenants }, service) => listTenants(service));
  const rows = tenants.map(({ id, createdAt, storedBytes, settings }) => ({
    tenant: id,
    created_at: createdAt === null ? null : timeText(createdAt),
    stored_bytes: storedBytes,
    // A limit that is set to no limit is printed as "none"; a limit that is not set is empty.
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? "none"])),
  }));
  await writeRows(context, flags, ["tenant", "created_at", "stored_bytes", ...names], rows);
});
