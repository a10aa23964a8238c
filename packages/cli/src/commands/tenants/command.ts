import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { type StoreListFlags, storeFlags, storeListFlags } from "../../data-directory/flags.ts";
import { parseNumber } from "../../flags.ts";
import type { Limit, SetTenantFlags } from "./action.ts";

const loader = () => import("./action.ts");

/** Parses a number, or `none` for no limit. */
function parseLimit(text: string): Limit {
  return { value: text === "none" ? null : parseNumber(text) };
}

const limit = { kind: "parsed", parse: parseLimit, optional: true, placeholder: "number|none" } as const;

const setCommand = buildCommand<SetTenantFlags, [tenant: string], Context>({
  loader: async () => (await loader()).runSetTenant,
  parameters: {
    flags: {
      maxUnfinishedRuns: {
        ...limit,
        brief: "Maximum number of unfinished runs. Default: the setting limits.maxUnfinishedRuns, or 15.",
      },
      maxRunningRuns: {
        ...limit,
        brief: "Maximum number of running runs. Default: the setting limits.maxRunningRunsOfTenant, or 5.",
      },
      requestsPerSecond: {
        ...limit,
        brief:
          "Maximum rate of each key, in calls per second; each call of a batch counts. Default: the setting limits.requestsPerSecond, or no limit.",
      },
      requestBurst: {
        ...limit,
        brief:
          "Maximum number of calls of each key in a burst. Default: the setting limits.requestBurst, or the calls of one second.",
      },
      monthlyExecSeconds: {
        ...limit,
        brief:
          "Maximum execution time of each user per month, in seconds. Default: the setting limits.monthlyExecSeconds, or no limit.",
      },
      maxStoredBytes: {
        ...limit,
        brief:
          "Maximum size of the stored results, in bytes. Default: the setting limits.maxStoredBytes, or half of the disk, or none for results in a bucket.",
      },
      ...storeFlags,
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "tenant", brief: "Name of the tenant." }],
    },
  },
  docs: {
    brief: "Set limits of a tenant, also while the service runs.",
    fullDescription: [
      "Sets the given limits; other limits stay as they are. The value none stands for no limit. The defaults 15, 5 and half of",
      "the disk do not apply to tenant_first, the tenant of the first key. The limits apply from the next call on, or on a shared",
      "store within the setting storeCacheSeconds. A waiting run that a higher limit allows starts within a third of leaseSeconds.",
      "",
      "EXAMPLES",
      "  quern tenants set acme --max-running-runs 10 --monthly-exec-seconds 36000",
      "  quern tenants set acme --monthly-exec-seconds none",
    ].join("\n"),
  },
});

const listCommand = buildCommand<StoreListFlags, [], Context>({
  loader: async () => (await loader()).runListTenants,
  parameters: { flags: storeListFlags },
  docs: { brief: "List the tenants, the size of their stored results, and their limits." },
});

/** `quern tenants`: tenants and their limits. */
export const tenantsRoute = buildRouteMap({
  routes: { set: setCommand, list: listCommand },
  docs: { brief: "List tenants and set their limits." },
});
