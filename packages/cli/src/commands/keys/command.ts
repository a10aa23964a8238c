import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { type StoreFlags, type StoreListFlags, storeFlags, storeListFlags } from "../../data-directory/flags.ts";
import type { IssueFlags, RotateFlags } from "./action.ts";

const loader = () => import("./action.ts");

const text = { kind: "parsed", parse: String, optional: true } as const;
const key = {
  kind: "tuple",
  parameters: [{ parse: String, placeholder: "key-id", brief: "Id of the key; `quern keys list` prints the ids." }],
} as const;

const issueCommand = buildCommand<IssueFlags, [], Context>({
  loader: async () => (await loader()).runIssue,
  parameters: {
    flags: {
      tenant: {
        ...text,
        placeholder: "name",
        brief:
          "Tenant of the key; its users share runs, limits and administrators. Default: the tenant of the first key.",
      },
      user: { ...text, placeholder: "name", brief: "User of the key. Default: the user of the first key." },
      scopes: {
        ...text,
        placeholder: "list",
        brief: "Scopes, separated by commas: run, read, cancel, tenant:admin. Default: run,read,cancel.",
      },
      sources: {
        ...text,
        placeholder: "list",
        brief: "Data sources that the key may query, separated by commas. Default: all.",
      },
      origins: {
        ...text,
        placeholder: "list",
        brief: "Web origins that may use the key, separated by commas. Default: all.",
      },
      network: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: ",",
        placeholder: "cidr",
        brief: "Network that may use the key, such as 10.0.0.0/8; may be repeated. Default: all.",
      },
      expires: {
        ...text,
        placeholder: "when",
        brief: "Expiry: a date, or a time from now such as 90d or 12h. Default: the key does not expire.",
      },
      ...storeFlags,
    },
  },
  docs: {
    brief: "Issue a key and print it once.",
    fullDescription: [
      "Issues a key that works at once. Prints its id on stderr and the key on stdout. The service stores a hash of the key and its last four characters.",
      "",
      "EXAMPLES",
      "  quern keys issue --user ann",
      "  quern keys issue --user etl --network 10.0.0.0/8 --network ::1/128",
      "  quern keys issue --tenant acme --user board --scopes run,read --origins https://acme.example --expires 90d",
    ].join("\n"),
  },
});

const rotateCommand = buildCommand<RotateFlags, [id: string], Context>({
  loader: async () => (await loader()).runRotate,
  parameters: {
    flags: {
      keep: {
        ...text,
        placeholder: "time",
        brief: "Time that the old key keeps working, such as 1h. Default: it is revoked, as by `quern keys revoke`.",
      },
      ...storeFlags,
    },
    positional: key,
  },
  docs: { brief: "Replace a key with a new one that has the same rights, and print the new key once." },
});

const revokeCommand = buildCommand<StoreFlags, [id: string], Context>({
  loader: async () => (await loader()).runRevoke,
  parameters: { flags: storeFlags, positional: key },
  docs: { brief: "Revoke a key: at once, or on a shared store within the setting storeCacheSeconds." },
});

const revokeLinksCommand = buildCommand<StoreFlags, [], Context>({
  loader: async () => (await loader()).runRevokeLinks,
  parameters: { flags: storeFlags },
  docs: { brief: "Revoke all download links of results at once. Clients can request new ones." },
});

const listCommand = buildCommand<StoreListFlags, [], Context>({
  loader: async () => (await loader()).runListKeys,
  parameters: { flags: storeListFlags },
  docs: { brief: "List the keys with their rights and last use." },
});

/** `quern keys`: API keys of the service. */
export const keysRoute = buildRouteMap({
  routes: {
    issue: issueCommand,
    list: listCommand,
    rotate: rotateCommand,
    revoke: revokeCommand,
    revokeLinks: revokeLinksCommand,
  },
  docs: { brief: "Issue, list, rotate and revoke API keys, and revoke download links." },
});
