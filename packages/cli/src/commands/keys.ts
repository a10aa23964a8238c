import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../context.ts";
import { type PlaceFlags, placeFlags, type RowsFlags, rowsFlags } from "./place-flags.ts";
import type { IssueFlags, RotateFlags } from "./run-keys.ts";

const loader = () => import("./run-keys.ts");

const text = { kind: "parsed", parse: String, optional: true } as const;
const key = {
  kind: "tuple",
  parameters: [{ parse: String, placeholder: "key-id", brief: "The id of the key, as `quern keys list` shows it." }],
} as const;

const issueCommand = buildCommand<IssueFlags, [], Context>({
  loader: async () => (await loader()).runIssue,
  parameters: {
    flags: {
      tenant: {
        ...text,
        placeholder: "name",
        brief: "Who shares runs, limits and administrators; that of the first key without it.",
      },
      user: { ...text, placeholder: "name", brief: "Whose key it is; that of the first key without it." },
      scopes: {
        ...text,
        placeholder: "list",
        brief: "Of run, read, cancel and tenant:admin, with commas; the first three without it.",
      },
      sources: { ...text, placeholder: "list", brief: "The only data sources it may query, with commas." },
      origins: { ...text, placeholder: "list", brief: "The only web origins it may come from, with commas." },
      expires: { ...text, placeholder: "when", brief: "When it ends: a date, or a time from now such as 90d or 12h." },
      ...placeFlags,
    },
  },
  docs: {
    brief: "Make a key and print it, this once.",
    fullDescription: [
      "Makes a key, which works at once, and prints its id on stderr and the key on stdout. Only its hash is kept.",
      "",
      "EXAMPLES",
      "  quern keys issue --user ann",
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
        brief: "How long the old key still works, such as 1h; it ends at once without.",
      },
      ...placeFlags,
    },
    positional: key,
  },
  docs: { brief: "Make a key in place of another one, with its rights, and print it, this once." },
});

const revokeCommand = buildCommand<PlaceFlags, [id: string], Context>({
  loader: async () => (await loader()).runRevoke,
  parameters: { flags: placeFlags, positional: key },
  docs: { brief: "End a key at once." },
});

const listCommand = buildCommand<RowsFlags, [], Context>({
  loader: async () => (await loader()).runListKeys,
  parameters: { flags: rowsFlags },
  docs: { brief: "List the keys, with what they may do and when they were last used." },
});

/** `quern keys`: who may call the service. */
export const keysRoute = buildRouteMap({
  routes: { issue: issueCommand, list: listCommand, rotate: rotateCommand, revoke: revokeCommand },
  docs: { brief: "Make and end the keys of the service." },
});
