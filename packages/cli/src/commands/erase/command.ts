import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { storeFlags } from "../../data-directory/flags.ts";
import type { EraseFlags } from "./action.ts";

/** `quern erase`: erases the data of a user. */
export const eraseCommand: Command<Context> = buildCommand<EraseFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runErase,
  parameters: {
    flags: {
      user: { kind: "parsed", parse: String, placeholder: "name", brief: "User whose data is erased." },
      tenant: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "name",
        brief: "Tenant of the user. Default: the tenant of the first key.",
      },
      ...storeFlags,
    },
  },
  docs: {
    brief: "Erase the statements, parameters, tags and results of a user.",
    fullDescription: [
      "Erases the statements, parameters, tags, idempotency keys and results of a user. Revoke the keys of the user first. A run",
      "that other users have requested, too, stays with its statement, parameters and result, without the name and tags of the user.",
      "Keys, usage and the audit log stay. Prints what was erased and what is kept. It cannot be undone.",
      "",
      "EXAMPLES",
      "  quern erase --tenant acme --user ann",
    ].join("\n"),
  },
});
