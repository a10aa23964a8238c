import { UsageError } from "../../errors/cli-error.ts";
import { parseScalar } from "../../flags.ts";
import { printable } from "../../output/row.ts";
import { printLines } from "../shell-output.ts";
import { type ShellCommand, unquoted } from "./command.ts";

function variableLine([name, value]: readonly [string, unknown]): string {
  return `$${name} = ${printable(JSON.stringify(value))}`;
}

/** Commands that bind parameters. */
export const variableCommands: readonly ShellCommand[] = [
  {
    names: ["set"],
    syntax: "[name [value]]",
    brief:
      "Bind a value to the parameter $name of the next statements. Without a value, print it; without a name, all.",
    argument: "variable",
    async run(session, rest, work) {
      const { variables } = session.settings;
      if (rest === "") {
        return printLines(session, work, [...variables].map(variableLine));
      }
      const [, name, text = ""] = /^\$?([\p{L}_][\p{L}\p{N}_]*)(?:\s*=\s*|\s+|$)([\s\S]*)$/u.exec(rest) ?? [];
      if (name === undefined) throw new SyntaxError("expected a name and a value, as in \\set origin Europe");
      if (text === "") {
        const value = variables.get(name);
        if (value === undefined) throw new UsageError(`$${name} is not set; \\set ${name} value sets it`);
        return printLines(session, work, [variableLine([name, value])]);
      }
      const isQuoted = /^'[\s\S]*'$/.test(text);
      variables.set(name, isQuoted ? unquoted(text) : parseScalar(text));
    },
  },
  {
    names: ["unset"],
    syntax: "name",
    brief: "Remove the value of a parameter.",
    argument: "variable",
    run({ settings: { variables } }, rest) {
      const name = rest.replace(/^\$/, "");
      if (!variables.delete(name)) throw new SyntaxError("expected the name of a value that is set");
    },
  },
];
