import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { dataDirFlags, type ListFlags, listFlags } from "../../data-directory/flags.ts";
import { parseNumber } from "../../flags.ts";
import type { Limit, SetTenantFlags } from "./action.ts";

const loader = () => import("./action.ts");

/** A number, or `none` for no limit. */
function parseLimit(text: string): Limit {
  return { value: text === "none" ? null : parseNumber(text) };
}

const limit = { kind: "parsed", parse: parseLimit, optional: true, placeholder: "number|none" } as const;

const setCommand = buildCommand<SetTenantFlags, [tenant: string], Context>({
  loader: async () => (await loader()).runSetTenant,
  parameters: {
    flags: {
      maxUnfinishedRuns: { ...limit, brief: "Most runs that have not ended. Default: 15." },
      maxRunningRuns: { ...limit, brief: "Most runs that execute at once. Default: 5." },
      requestsPerSecond: { ...limit, brief: "Most HTTP requests of each key per second." },
      requestBurst: { ...limit, brief: "Most requests at once after a pause." },
      monthlyExecSeconds: { ...limit, brief: "Most seconds of execution of each user per month." },
      ...dataDirFlags,
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "tenant", brief: "The name of the tenant." }],
    },
  },
  docs: {
    brief: "Change the limits of a tenant, at once.",
    fullDescription: [
      "Changes the limits that are given. The tenant of the first key, tenant_first, has no limits by default.",
      "",
      "EXAMPLES",
      "  quern tenants set acme --max-running-runs 10 --monthly-exec-seconds 36000",
      "  quern tenants set acme --monthly-exec-seconds none",
    ].join("\n"),
  },
});

const listCommand = buildCommand<ListFlags, [], Context>({
  loader: async () => (await loader()).runListTenants,
  parameters: { flags: listFlags },
  docs: { brief: "List the tenants and their limits." },
});

/** `quern tenants`: limits of the tenants. */
export const tenantsRoute = buildRouteMap({
  routes: { set: setCommand, list: listCommand },
  docs: { brief: "List the tenants and set their limits." },
});
