import { type OutputFile, provenance, settingsName } from "../../output-file.ts";
import { defaultWords, type ServiceSetting, settingValues, withoutLimits } from "../../service-settings.ts";
import { docComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates what the help and the flags of `quern serve` need of the settings, without loading the server. */
export function settingsFile(all: readonly ServiceSetting[]): OutputFile {
  const settings = settingValues(withoutLimits(all).settings).map((setting) => {
    const { path, variable, text, unit, default: value, secret } = setting;
    const words = defaultWords(setting).replaceAll("`", "");
    return [
      path,
      { variable, text, default: value, defaultText: unit === undefined ? words : `${words} ${unit}`, secret },
    ];
  });
  return sourceFile(
    "settings.ts",
    createImports(),
    [
      constant({
        name: "settingTable",
        initializer: `${literal(JSON.parse(JSON.stringify(Object.fromEntries(settings))))} as const`,
        docs: docComment(
          ["Variable, text and default of each setting other than limits."],
          [provenance("/settings", settingsName)],
        ),
      }),
    ],
    settingsName,
  );
}
