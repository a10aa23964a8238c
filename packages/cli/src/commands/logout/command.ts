import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import type { LogoutFlags } from "./action.ts";

/** `quern logout`: removes the key of a profile from this machine. */
export const logoutCommand: Command<Context> = buildCommand<LogoutFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runLogout,
  parameters: {
    flags: {
      profile: {
        ...connectionFlags.profile,
        brief: "Profile whose key is removed. Default: QUERN_PROFILE, else the default profile.",
      },
      ...jsonFlag,
    },
  },
  docs: {
    brief: "Remove the key of a profile from this machine.",
    fullDescription: [
      "Removes the key that `quern login` has kept. The profile stays, and the service still accepts the key:",
      "`quern keys revoke` ends it.",
      "",
      "EXAMPLES",
      "  quern logout --profile production",
    ].join("\n"),
  },
});
