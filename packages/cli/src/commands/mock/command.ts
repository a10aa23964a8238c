import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { parseNumber } from "../../flags.ts";
import { listenFlags } from "../../listening/flags.ts";
import type { ParentProcess } from "../../listening/parent-process.ts";
import type { MockFlags } from "./action.ts";

/** `quern mock`: a service in memory, for the tests of any language. */
export const mockCommand: Command<Context> = buildCommand<MockFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runMock,
  parameters: {
    flags: {
      ...listenFlags,
      open: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Accept any key, with a namespace of its own; by default an unknown key is refused.",
      },
      strict: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Fail the statements that no stub matches, with the nearest stub.",
      },
      seed: {
        kind: "parsed",
        parse: parseSeed,
        optional: true,
        placeholder: "number",
        brief: "Seed of the rows of statements that no stub matches. Default: the rows of the contract's example.",
      },
      clock: {
        kind: "enum",
        values: ["ticking", "auto", "still"],
        default: "ticking",
        brief:
          "Clock of the mock: in real time, jumping to the next instant that is waited for, or moved by programs only.",
      },
      stubs: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "folder",
        brief: "Folder of .json files with stubs, as for stubStatement; each key begins with them.",
      },
      ledger: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief: "File for the calls that consumers used, for `quern verify`; written at the end.",
      },
      allowedHosts: {
        kind: "parsed",
        parse: (text: string) => text.split(",").filter((name) => name !== ""),
        optional: true,
        placeholder: "names",
        brief: "Host names, with commas between, by which other containers script the mock.",
      },
      parent: {
        kind: "parsed",
        parse: parseParent,
        optional: true,
        placeholder: "pid",
        brief: "End with this process; with `stdin` in place of its id, when standard input ends.",
      },
    },
  },
  docs: {
    brief: "Start a mock service in memory.",
    fullDescription: [
      "Starts a mock service in memory: every statement succeeds at the first poll with the rows of the contract's example.",
      "QUERN_API_KEY is the key that it accepts, any text. Default: a new key.",
      "Programs in any language create further keys and script their answers at /admin/json-rpc.",
      "",
      "EXAMPLES",
      "  QUERN_API_KEY=any quern mock --port 8090",
      "  quern mock --port 0 --json --parent stdin",
      "  quern mock --strict --clock auto --stubs test/stubs",
    ].join("\n"),
  },
});

function parseSeed(text: string): number {
  const seed = parseNumber(text);
  if (Number.isSafeInteger(seed)) return seed;
  throw new RangeError(`expected a whole number, received ${text}`);
}

function parseParent(text: string): ParentProcess {
  if (text === "stdin") return text;
  const pid = parseNumber(text);
  if (Number.isInteger(pid) && pid > 0) return pid;
  throw new RangeError(`expected the id of a process, or stdin, received ${text}`);
}
