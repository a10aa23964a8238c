import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import { formatAliases, formatFlags } from "../../output/flags.ts";
import type { ListProfilesFlags, ProfileFlags, ShowProfileFlags } from "./action.ts";

const loader = () => import("./action.ts");

const oneProfile = {
  kind: "tuple",
  parameters: [{ parse: String, placeholder: "profile", brief: "Name of the profile." }],
} as const;

const listCommand = buildCommand<ListProfilesFlags, [], Context>({
  loader: async () => (await loader()).runListProfiles,
  parameters: { flags: formatFlags, aliases: formatAliases },
  docs: { brief: "List the profiles; `quern profiles` does the same." },
});

const showCommand = buildCommand<ShowProfileFlags, [name?: string], Context>({
  loader: async () => (await loader()).runShowProfile,
  parameters: {
    flags: {
      profile: connectionFlags.profile,
      url: connectionFlags.url,
      apiKeyFile: connectionFlags.apiKeyFile,
      ...formatFlags,
    },
    positional: {
      kind: "tuple",
      parameters: [
        { parse: String, optional: true, placeholder: "profile", brief: "Name of the profile, as with --profile." },
      ],
    },
    aliases: formatAliases,
  },
  docs: {
    brief: "Print the settings of the connection, and where each comes from.",
    fullDescription: [
      "Prints the settings that a command would use with the same flags and environment, and the flag, variable or profile that",
      "each comes from. It prints the place of the key, and never the key.",
      "",
      "EXAMPLES",
      "  quern profiles show",
      "  quern profiles show production --format vertical",
    ].join("\n"),
  },
});

const useCommand = buildCommand<ProfileFlags, [name: string], Context>({
  loader: async () => (await loader()).runUseProfile,
  parameters: { flags: jsonFlag, positional: oneProfile },
  docs: { brief: "Make a profile the default one." },
});

const removeCommand = buildCommand<ProfileFlags, [name: string], Context>({
  loader: async () => (await loader()).runRemoveProfile,
  parameters: { flags: jsonFlag, positional: oneProfile },
  docs: { brief: "Remove a profile, and the key that `quern login` has kept for it." },
});

/** `quern profiles`: lists, shows, chooses and removes profiles. */
export const profilesRoute = buildRouteMap<string, Context>({
  routes: { list: listCommand, show: showCommand, use: useCommand, remove: removeCommand },
  defaultCommand: "list",
  docs: { brief: "List, show, choose and remove profiles." },
});
