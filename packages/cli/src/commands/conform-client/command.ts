import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import type { ConformClientFlags } from "./action.ts";

/** `quern conform-client`: plays bad networks to a client in any language. */
export const conformClientCommand: Command<Context> = buildCommand<ConformClientFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runConformClient,
  parameters: {
    flags: {
      command: {
        kind: "parsed",
        parse: String,
        placeholder: "command",
        brief: "Shell command that starts the client, once for each case.",
      },
      case: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Run only this case.",
      },
      expectedFailures: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief: "JSON file of cases that may fail, by their name, with the reason.",
      },
      failOn: {
        kind: "enum",
        values: ["must", "should"],
        default: "must",
        brief: "Least level of a failed case that fails the client.",
      },
      json: { kind: "boolean", default: false, withNegated: false, brief: "Print the results, or an error, as JSON." },
    },
  },
  docs: {
    brief: "Test a client in any language on bad networks.",
    fullDescription: [
      "Starts the client once for each case, with a server on loopback that loses, cuts, garbles, delays and refuses. The client",
      "reads what to do from stdin as JSON, { url, apiKey, timeoutMs, calls?, sequence?, query? }, and writes to stdout how it",
      'ended, { "endings": [{ "result": … } or { "error": "kind" or "kind number" }] }. A caller who gives up is a SIGINT.',
      "",
      "EXAMPLES",
      "  quern conform-client --command 'python3 my_client.py'",
      "  quern conform-client --command ./client --case 'HTTP 502 once'",
      "",
      "A failure is of level must where the client gives a wrong result, takes an error for a result, runs a statement twice or does",
      "not end, and of level should where it reports an error that it could have recovered from, or another error.",
      "",
      "EXIT CODES",
      "  0 the client passes, 1 it fails, 2 usage: also a command that cannot be started",
    ].join("\n"),
  },
});
