import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { parseFile, parseNumber, parseSeconds } from "../../flags.ts";
import type { ConformFlags } from "./action.ts";

const file = { kind: "parsed", parse: parseFile, optional: true, placeholder: "file" } as const;
const number = { kind: "parsed", parse: parseNumber, optional: true, placeholder: "number" } as const;

/** `quern conform`: tests any server against the contract. */
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
        brief:
          "Test only this profile: json-rpc, http, robustness, openrpc, schemas or service; may be repeated. Default: all.",
      },
      only: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "id",
        brief: "Run only this check; * matches any text, as in 'PAGE-*'; may be repeated.",
      },
      group: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Run only the checks of this group, such as PAGE, AUTH or fuzz; may be repeated.",
      },
      expectedFailures: {
        ...file,
        brief: "JSON file of checks that are expected to fail: an object from id to reason.",
      },
      writeBaseline: { ...file, brief: "Write the failures to this file, for --expected-failures." },
      timeout: {
        kind: "parsed",
        parse: parseSeconds,
        optional: true,
        placeholder: "seconds",
        brief: "Longest wait for one answer, in seconds; a slower answer makes its check inconclusive. Default: 20.",
      },
      junit: { ...file, brief: "Write the report to this file as JUnit XML." },
      seed: { ...number, brief: "Seed of the random requests, to repeat those of an earlier test." },
      tries: { ...number, brief: "Number of random requests for each rule that is tested with them. Default: 25." },
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
      "Sends a server the cases of the corpus, and random requests that follow from the schemas. Validates every answer against",
      "the OpenRPC document, and prints the coverage of the contract. The test creates runs: issue a key for it.",
      "",
      "EXAMPLES",
      "  quern conform http://127.0.0.1:8080",
      "  quern conform http://127.0.0.1:8080 --profile json-rpc --profile http --junit conform.xml",
      "  quern conform http://127.0.0.1:8080 --only REQ-001 --only 'fuzz/*' --timeout 60",
      "  quern conform http://127.0.0.1:8080 --write-baseline known-failures.json",
      "",
      "EXIT CODES",
      "  0 all checks are as expected, 1 a check fails, or passes although it is expected to fail, 2 usage, 3 missing or refused",
      "  key, 6 no check fails but some are inconclusive because the server is too slow, 7 no JSON-RPC server answers",
    ].join("\n"),
  },
});
