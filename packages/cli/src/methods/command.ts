import { buildCommand, type Command } from "@stricli/core";
import { type Context, commandFunction } from "../command-function.ts";
import { connect, timeoutOf } from "../connection/connect.ts";
import { type ConnectionFlags, connectionFlags } from "../connection/flags.ts";
import { withProfile } from "../connection/resolve.ts";
import { type JsonFlag, jsonFlag, parseJson, parseList, parseNumber, parsePair } from "../flags.ts";
import { write } from "../output/target.ts";
import type { MethodCommand, MethodFlag } from "./method-command.ts";
import { camelCase, methodParams } from "./params.ts";

/** Flags of all methods. The flags of one method come from the generated data. */
type FlagValues = ConnectionFlags & JsonFlag;

/** Builds the command of a method: a flag for each member of its params, the result as JSON. */
export function methodCommand(command: MethodCommand): Command<Context> {
  const own = Object.fromEntries(command.flags.map((flag) => [camelCase(flag.name), flagParameter(flag)]));
  return buildCommand<FlagValues, [], Context>({
    func: commandFunction(async (context: Context, flags: FlagValues) => {
      const all = takesStatement(command) ? await withProfile(context, flags) : flags;
      const params = methodParams(command.flags, { ...all });
      const client = await connect(flags, context);
      const { [command.method]: method } = await import("./client-methods.ts");
      // The flags come from the schema of the params, and the service validates the values.
      const result = await method(client, params as never, timeoutOf(flags));
      await write(context.process.stdout, `${JSON.stringify(result, null, 2)}\n`);
    }),
    parameters: { flags: { ...own, ...connectionFlags, ...jsonFlag } },
    docs: { brief: command.brief, fullDescription: fullDescription(command) },
  });
}

/** Returns whether the data source of a profile applies to a method: it takes a statement for one source. */
function takesStatement({ flags }: MethodCommand): boolean {
  return ["sql", "dataSource"].every((member) => flags.some(({ path }) => path.join(".") === member));
}

/** Syntax of the values of a flag, for the help, which does not print placeholders. */
const syntaxOf: Readonly<Partial<Record<MethodFlag["kind"], string>>> = {
  map: "Written as key=value; may be repeated.",
  list: "Separated by commas, or as a JSON array; may be repeated.",
  json: "Written as JSON.",
};

function flagParameter({ kind, brief, required, choices, default: preset, deprecated }: MethodFlag) {
  const parts = [
    deprecated ? "Deprecated." : "",
    brief,
    syntaxOf[kind] ?? "",
    preset === undefined ? "" : `Default: ${JSON.stringify(preset)}.`,
  ];
  const about = {
    brief: parts.filter((part) => part !== "").join(" "),
    optional: !required,
  };
  if (choices !== undefined) return { ...about, kind: "enum", values: choices } as const;
  switch (kind) {
    case "boolean":
      return { ...about, kind } as const;
    case "number":
      return { ...about, kind: "parsed", parse: parseNumber, placeholder: "number" } as const;
    case "map":
      return { ...about, kind: "parsed", parse: parsePair, placeholder: "key=value", variadic: true } as const;
    case "list":
      return { ...about, kind: "parsed", parse: parseList, placeholder: "text,…", variadic: true } as const;
    case "json":
      return { ...about, kind: "parsed", parse: parseJson, placeholder: "json" } as const;
    case "string":
      return { ...about, kind: "parsed", parse: String, placeholder: "text" } as const;
  }
}

function fullDescription({ description, examples }: MethodCommand): string {
  const lines = examples.map(({ brief, line }) => `  # ${brief}\n  ${line}`);
  return [description, "", "EXAMPLES", ...lines].join("\n");
}
