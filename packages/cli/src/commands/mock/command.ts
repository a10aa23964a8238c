import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { parseFile, parseNumber } from "../../flags.ts";
import { listenFlags } from "../../listening/flags.ts";
import type { ParentProcess } from "../../listening/parent-process.ts";
import type { MockFlags } from "./action.ts";

/** `quern mock`: mock service in memory, for tests in any language. */
export const mockCommand: Command<Context> = buildCommand<MockFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runMock,
  parameters: {
    flags: {
      ...listenFlags,
      open: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Accept any key and give each key its own namespace. Default: unknown keys are refused.",
      },
      strict: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief:
          "Fail statements that no stub matches, with an error that names the nearest stub. Without --seed, also fail statements whose stub has no answer.",
      },
      seed: {
        kind: "parsed",
        parse: parseSeed,
        optional: true,
        placeholder: "number",
        brief:
          "Generate rows with this seed for statements that no stub answers; with --strict, only if a stub matches. Default: return the example rows of the contract.",
      },
      clock: {
        kind: "enum",
        values: ["ticking", "auto", "still"],
        default: "ticking",
        brief:
          "Clock of the mock: ticking follows real time, auto jumps to the end of the next wait, still moves only through the admin API.",
      },
      stubs: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "folder",
        brief: "Folder of JSON files with stubs, as in the params of stubStatement. Every namespace starts with them.",
      },
      ledger: {
        kind: "parsed",
        parse: parseFile,
        optional: true,
        placeholder: "file",
        brief: "Add the consumers' calls to the ledger in this file when the mock ends, for `quern verify`.",
      },
      allowedHosts: {
        kind: "parsed",
        parse: (text: string) => text.split(",").filter((name) => name !== ""),
        optional: true,
        placeholder: "names",
        brief:
          "Host names of the mock under which other containers or machines may call the admin API, separated by commas. Default: none if --host is a loopback address, else all.",
      },
      parent: {
        kind: "parsed",
        parse: parseParent,
        optional: true,
        placeholder: "pid",
        brief: "End when the process with this id ends, or with stdin: when standard input ends.",
      },
    },
  },
  docs: {
    brief: "Start a mock service in memory.",
    fullDescription: [
      "Starts a mock service in memory. By default, every statement succeeds at its first poll with example rows.",
      "Programs in any language create keys and stub answers through the admin API, JSON-RPC at /admin/json-rpc.",
      "",
      "EXAMPLES",
      "  QUERN_API_KEY=any quern mock --port 8090",
      "  quern mock --port 0 --json --parent stdin",
      "  quern mock --strict --clock auto --stubs test/stubs",
      "",
      "ENVIRONMENT",
      "  QUERN_API_KEY  Key that the mock accepts; any text. Default: a new key, which is printed.",
    ].join("\n"),
  },
});

function parseSeed(text: string): number {
  const seed = parseNumber(text);
  if (Number.isSafeInteger(seed)) return seed;
  throw new RangeError("expected a whole number");
}

function parseParent(text: string): ParentProcess {
  if (text === "stdin") return text;
  const pid = parseNumber(text);
  if (Number.isInteger(pid) && pid > 0) return pid;
  throw new RangeError("expected the id of a process, or stdin");
}
