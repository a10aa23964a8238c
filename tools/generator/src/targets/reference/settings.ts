import { limitsName, type OutputFile, settingsName } from "../../output-file.ts";
import {
  defaultWords,
  type ServiceSetting,
  type SettingSchema,
  type SettingValue,
  settingValues,
  withoutLimits,
} from "../../service-settings.ts";
import { heading, page, prose, table } from "./markdown.ts";

/** Generates the page of settings, and that of limits. */
export function settingsPages(all: readonly ServiceSetting[]): readonly OutputFile[] {
  const { settings, limits } = withoutLimits(all);
  return [
    {
      path: "settings.md",
      text: page(
        [
          heading(1, "Settings of the service", "/settings", settingsName),
          "[Operate the service](../guides/operate.md#configure-the-service) explains how to set a setting. `createServer` takes the same names as " +
            "options. `quern configuration` prints the current settings. Limits have [a page of their own](limits.md). " +
            "The retention of a result is not a setting: set `resultTTLHours` of `createQueryRun`.",
          table(
            ["Setting", "Variable", "Meaning", "Unit", "Default", "Values"],
            settingValues(settings).map((setting) => {
              const [name = "", ...facts] = factsOf(setting);
              return [name, `\`${setting.variable}\``, ...facts];
            }),
          ),
        ],
        settingsName,
      ),
    },
    {
      path: "limits.md",
      text: page(
        [
          heading(1, "Limits of the service", "/limits", limitsName),
          "Set a limit in the configuration file, with `quern serve --set limits.maxBatch=50`, or with an environment variable: `QUERN_LIMITS_` and " +
            "the name in capitals, such as `QUERN_LIMITS_MAX_BATCH`. `createServer` takes the same names in `limits`. `quern configuration` " +
            "prints the current settings.",
          table(["Limit", "Meaning", "Unit", "Default", "Values"], limits.map(factsOf)),
        ],
        limitsName,
      ),
    },
  ];
}

function factsOf(setting: SettingValue): readonly string[] {
  const { path, text, unit = "", guide, schema, secret } = setting;
  const link = guide === undefined ? "" : ` [Read more](../guides/${guide}).`;
  const values = secret ? "text, in the variable only" : valuesOf(schema);
  return [`\`${path}\``, `${prose(text)}${link}`, unit, prose(defaultWords(setting)), values];
}

function valuesOf({ type, enum: words, items, minimum, maximum, patternText }: SettingSchema): string {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(", ");
  if (patternText !== undefined) return patternText;
  const single = (name: string): string => {
    if (name === "array") return `list: ${valuesOf(items ?? {})}`;
    if (name === "integer" || name === "number")
      return [
        name === "integer" ? "whole numbers" : "numbers",
        `from ${minimum}`,
        ...(maximum === undefined ? [] : [`to ${maximum}`]),
      ].join(" ");
    return name === "boolean" ? "`true`, `false`" : name === "string" ? "text" : name;
  };
  return [type ?? "any"].flat().map(single).join(", or ");
}
