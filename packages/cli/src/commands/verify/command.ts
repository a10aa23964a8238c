import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { parseSeconds } from "../../flags.ts";
import type { VerifyFlags } from "./action.ts";

/** `quern verify`: tests a service by the calls that consumers made on a mock. */
export const verifyCommand: Command<Context> = buildCommand<VerifyFlags, [ledger: string], Context>({
  loader: async () => (await import("./action.ts")).runVerify,
  parameters: {
    flags: {
      against: { kind: "parsed", parse: String, placeholder: "url", brief: "Address of the service." },
      stateUrl: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "url",
        brief: "Address that each provider state is posted to, as { name, params, consumer, action }.",
      },
      stateCommand: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "command",
        brief: "Shell command that reads each provider state from stdin as JSON.",
      },
      timeout: {
        kind: "parsed",
        parse: parseSeconds,
        optional: true,
        placeholder: "seconds",
        brief: "Longest time of a single answer, and of a run. A slower one is inconclusive. Default: 60.",
      },
      apiKeyFile: connectionFlags.apiKeyFile,
      json: { kind: "boolean", default: false, withNegated: false, brief: "Print the result, or an error, as JSON." },
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "ledger", brief: "Ledger file that a mock has written." }],
    },
  },
  docs: {
    brief: "Test a service by the calls that consumers made on a mock.",
    fullDescription: [
      "Makes the calls of a ledger on a service, one session after another, and compares the answers with what the consumers",
      "were given: how calls end, states, columns, and each member with its type. It runs their statements. Provider states of the",
      "ledger are set before a session (action setup) and removed after it (action teardown).",
      "",
      "EXAMPLES",
      "  quern verify ledger.json --against http://127.0.0.1:8080",
      "  quern verify ledger.json --against http://127.0.0.1:8080 --state-command ./load-fixtures",
      "",
      "EXIT CODES",
      "  0 all calls pass, 1 a call fails, 2 usage: also a ledger without calls, 3 key, 6 no call fails but some are inconclusive:",
      "  the server is too slow, 7 no JSON-RPC server answers",
    ].join("\n"),
  },
});
