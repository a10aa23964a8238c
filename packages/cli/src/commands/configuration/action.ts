import { type Context, commandFunction } from "../../command-function.ts";
import { readSettings } from "../../data-directory/configuration.ts";
import { optionalPackage } from "../../optional-package.ts";
import type { FormatFlags } from "../../output/flags.ts";
import { writeRows } from "../../output/rows.ts";

export interface ConfigurationFlags extends FormatFlags {
  readonly config?: string;
  readonly set?: readonly (readonly [name: string, value: string])[];
}

type Service = typeof import("@quern/server");

export const runConfiguration = commandFunction(async (context: Context, flags: ConfigurationFlags) => {
  const service = await optionalPackage<Service>("configuration", "@quern/server", context.process.cwd());
  const configuration = await readSettings(service, context, flags.config, Object.fromEntries(flags.set ?? []));
  const rows = service.settingsInForce(configuration).map(({ name, value, isSet, unit, variable, text }) => ({
    name,
    value: typeof value === "object" && value !== null ? JSON.stringify(value) : value,
    unit,
    origin: isSet ? "set" : "default",
    variable,
    meaning: text,
  }));
  await writeRows(context, flags, ["name", "value", "unit", "origin", "variable", "meaning"], rows);
});
