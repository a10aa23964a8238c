import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { parseFile } from "../../flags.ts";
import type { ConformClientFlags } from "./action.ts";

/** `quern conform-client`: tests a client in any language on bad networks. */
export const conformClientCommand: Command<Context> = buildCommand<ConformClientFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runConformClient,
  parameters: {
    flags: {
      command: {
        kind: "parsed",
        parse: String,
        placeholder: "command",
        brief: "Shell command that starts the client; it runs once for each case.",
      },
      case: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Run only this case; may be repeated.",
      },
      expectedFailures: {
        kind: "parsed",
        parse: parseFile,
        optional: true,
        placeholder: "file",
        brief: "JSON file of cases that are expected to fail: an object from name to reason.",
      },
      failOn: {
        kind: "enum",
        values: ["must", "should"],
        default: "must",
        brief: "Lowest level of a failure that fails the client: with must, failures of level should are warnings.",
      },
      json: { kind: "boolean", default: false, withNegated: false, brief: "Print the results, or an error, as JSON." },
    },
  },
  docs: {
    brief: "Test a client in any language on bad networks.",
    fullDescription: [
      "Starts the client once for each case, against a server on loopback that drops, truncates, corrupts, delays or refuses",
      "answers. The client reads its task from stdin as JSON, { url, apiKey, timeoutMs, calls?, sequence?, query? }, and writes",
      'the outcome of each call to stdout: { "endings": [{ "result": … } or { "error": "…" }] }.',
      "The text of an error is network, timeout, aborted, protocol, http <status>, rpc <code>, failed or canceled.",
      "In cases where the caller gives up, the client receives SIGINT.",
      "",
      "EXAMPLES",
      "  quern conform-client --command 'python3 my_client.py'",
      "  quern conform-client --command ./client --case 'HTTP 502 once'",
      "",
      "A failure has level must if the client returns a wrong result, takes an error for a result, fails although the response",
      "is correct, runs a statement twice, sends its key to another address, sends no request, writes invalid output or does",
      "not end. Any other failure has level should, such as an error that a retry would have avoided, or the wrong error.",
      "",
      "EXIT CODES",
      "  0 the client passes, 1 it fails, 2 usage, or the command cannot be started",
    ].join("\n"),
  },
});
