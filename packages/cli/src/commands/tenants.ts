import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../context.ts";
import { parseNumber } from "../method-params.ts";
import { placeFlags, type RowsFlags, rowsFlags } from "./place-flags.ts";
import type { Limit, SetTenantFlags } from "./run-tenants.ts";

const loader = () => import("./run-tenants.ts");

/** A number, or `none` for no limit. */
function parseLimit(text: string): Limit {
  return { value: text === "none" ? null : parseNumber(text) };
}

const limit = { kind: "parsed", parse: parseLimit, optional: true, placeholder: "number|none" } as const;

const setCommand = buildCommand<SetTenantFlags, [tenant: string], Context>({
  loader: async () => (await loader()).runSetTenant,
  parameters: {
    flags: {
      maxUnfinishedRuns: { ...limit, brief: "Runs that have not ended; 15 unless set." },
      maxRunningRuns: { ...limit, brief: "Runs that execute at once; 5 unless set." },
      requestsPerSecond: { ...limit, brief: "HTTP requests of each key in a second." },
      requestBurst: { ...limit, brief: "How many of them may come at once after a pause." },
      monthlyExecSeconds: { ...limit, brief: "Seconds of execution that each user has in a month." },
      ...placeFlags,
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "tenant", brief: "The name of the tenant." }],
    },
  },
  docs: {
    brief: "Change what a tenant may use, at once.",
    fullDescription: [
      "Changes the limits that are given. The tenant of the first key, tenant_first, has none unless they are set.",
      "",
      "EXAMPLES",
      "  quern tenants set acme --max-running-runs 10 --monthly-exec-seconds 36000",
      "  quern tenants set acme --monthly-exec-seconds none",
    ].join("\n"),
  },
});

const listCommand = buildCommand<RowsFlags, [], Context>({
  loader: async () => (await loader()).runListTenants,
  parameters: { flags: rowsFlags },
  docs: { brief: "List the tenants, and the limits that were set." },
});

/** `quern tenants`: what those who share a service may use. */
export const tenantsRoute = buildRouteMap({
  routes: { set: setCommand, list: listCommand },
  docs: { brief: "Limit what tenants may use." },
});
