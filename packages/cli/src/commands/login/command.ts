import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import type { LoginFlags } from "./action.ts";

/** `quern login`: keeps an address and a key as a profile. */
export const loginCommand: Command<Context> = buildCommand<LoginFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runLogin,
  parameters: {
    flags: {
      profile: {
        ...connectionFlags.profile,
        brief:
          "Profile to create or to change. Default: QUERN_PROFILE, else the default profile, else the name default.",
      },
      url: {
        ...connectionFlags.url,
        brief:
          "Address of the service. Default: the command asks; without a terminal, that of the profile, else QUERN_URL.",
      },
      apiKeyStdin: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Read the key from stdin. Default: the command asks for it on the terminal and does not show it.",
      },
      keyring: {
        kind: "boolean",
        optional: true,
        brief:
          "Keep the key in the system's keyring; --no-keyring keeps it in a file. Default: in the keyring if there is one.",
      },
      ...jsonFlag,
    },
  },
  docs: {
    brief: "Keep the address and the key of a service as a profile.",
    fullDescription: [
      "Asks for the address of a service and a key, tests the key with one request, and keeps both as a profile of the",
      "configuration file. The key goes to the system's keyring, else to a file beside the configuration file that only you can",
      "read. The first profile is the default one. Other lines of the configuration file stay as they are.",
      "",
      "EXAMPLES",
      "  quern login",
      "  quern login --profile production --url https://quern.example.org",
      "  quern login --url https://quern.example.org --api-key-stdin < ./key",
    ].join("\n"),
  },
});
