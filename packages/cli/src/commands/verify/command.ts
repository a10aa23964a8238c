import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { parseSeconds } from "../../flags.ts";
import type { VerifyFlags } from "./action.ts";

/** `quern verify`: replays a mock's ledger against a service. */
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
        brief: "URL that receives each provider state as a POST of { name, params, consumer, action }.",
      },
      stateCommand: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "command",
        brief: "Shell command that reads each provider state from stdin as the same JSON.",
      },
      timeout: {
        kind: "parsed",
        parse: parseSeconds,
        optional: true,
        placeholder: "seconds",
        brief:
          "Longest wait for one answer, a run or a provider state, in seconds; a slower call is inconclusive. Default: 60.",
      },
      apiKeyFile: connectionFlags.apiKeyFile,
      json: { kind: "boolean", default: false, withNegated: false, brief: "Print the result, or an error, as JSON." },
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "ledger", brief: "Ledger file that a mock wrote." }],
    },
  },
  docs: {
    brief: "Test a service with the calls that consumers made on a mock.",
    fullDescription: [
      "Replays the calls of a ledger on a service, one session after another, and compares the answers with the answers that the",
      "consumers received from the mock: errors, states, columns, and members with their types. The service runs the statements.",
      "Provider states of the ledger are set up before a session (action setup) and removed after it (action teardown).",
      "",
      "EXAMPLES",
      "  quern verify ledger.json --against http://127.0.0.1:8080",
      "  quern verify ledger.json --against http://127.0.0.1:8080 --state-command ./load-fixtures",
      "",
      "EXIT CODES",
      "  0 all answers agree, 1 an answer differs or a provider state cannot be changed, 2 usage, or a ledger without calls,",
      "  3 missing or refused key, 6 a call is inconclusive because the server is too slow, and none differs, 7 no server answers",
    ].join("\n"),
  },
});
