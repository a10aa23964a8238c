import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { parseNumber, parseSeconds } from "../../flags.ts";
import type { ConformFlags } from "./action.ts";

const file = { kind: "parsed", parse: String, optional: true, placeholder: "file" } as const;
const number = { kind: "parsed", parse: parseNumber, optional: true, placeholder: "number" } as const;

/** `quern conform`: holds any server to the contract. */
export const conformCommand: Command<Context> = buildCommand<ConformFlags, [url: string], Context>({
  loader: async () => (await import("./action.ts")).runConform,
  parameters: {
    flags: {
      profile: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Profiles to test: json-rpc, http, robustness, openrpc, schemas, service. Default: all.",
      },
      only: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "id",
        brief: "Run only this check; * stands for any text, as in 'PAGE-*'.",
      },
      group: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Run only the checks of this group, such as PAGE, AUTH or fuzz.",
      },
      expectedFailures: { ...file, brief: "JSON file of cases that may fail, by their id, with the reason." },
      writeBaseline: { ...file, brief: "File to write the failures to, as a list for --expected-failures." },
      timeout: {
        kind: "parsed",
        parse: parseSeconds,
        optional: true,
        placeholder: "seconds",
        brief: "Longest time of a single answer. A slower one makes its check inconclusive. Default: 20.",
      },
      junit: { ...file, brief: "File for the report as JUnit XML." },
      seed: { ...number, brief: "Seed of the random choices, to repeat an earlier test." },
      tries: { ...number, brief: "Number of tries of each property. Default: 25." },
      apiKeyFile: connectionFlags.apiKeyFile,
      json: { kind: "boolean", default: false, withNegated: false, brief: "Print the report, or an error, as JSON." },
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "url", brief: "Address of the server." }],
    },
  },
  docs: {
    brief: "Test a server against the contract.",
    fullDescription: [
      "Sends a server the cases of the corpus and cases generated from the schemas of the contract, validates every answer by the",
      "OpenRPC document, and prints the coverage of the contract. It creates runs: use a key of its own.",
      "",
      "EXAMPLES",
      "  quern conform http://127.0.0.1:8080",
      "  quern conform http://127.0.0.1:8080 --profile json-rpc --profile http --junit conform.xml",
      "  quern conform http://127.0.0.1:8080 --only REQ-001 --only 'fuzz/*' --timeout 60",
      "  quern conform http://127.0.0.1:8080 --write-baseline known-failures.json",
      "",
      "EXIT CODES",
      "  0 all is as expected, 1 a check fails, 2 usage, 3 key, 6 no check fails but some are inconclusive: the server is too slow,",
      "  7 no JSON-RPC server answers",
    ].join("\n"),
  },
});
