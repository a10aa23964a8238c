import { type OutputFile, provenance, settingsName } from "../../output-file.ts";
import type { ServiceSetting, SettingGroup } from "../../service-settings.ts";
import { docComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant, interfaceOf, type Statement } from "../../typescript/statement.ts";
import { groupType, settingMember, tableText } from "./setting.ts";

/** Generates the settings as interfaces for callers, and as the table that reads and checks their values. */
export function settingsFile(settings: readonly ServiceSetting[]): OutputFile {
  const imports = createImports();
  imports.type("./limits.ts", "ServerLimits");
  imports.value("./limits.ts", "limitTable");
  const comment = (text: string) => docComment([text], [provenance("/settings", settingsName)]);
  const type = (name: string, text: string, members: readonly ServiceSetting[]): Statement =>
    interfaceOf(
      name,
      members.map((setting) =>
        "members" in setting
          ? {
              text: `readonly ${setting.name}?: ${groupType(setting)}${setting.path === setting.name ? " | undefined" : ""};`,
              docs: docComment([setting.text], [], 2),
            }
          : settingMember(setting, imports),
      ),
      comment(text),
    );
  const isOfProgram = (setting: ServiceSetting): boolean => "scope" in setting && setting.scope === "program";
  const statements = [
    ...groupsIn(settings).map((group) => type(groupType(group), group.text, group.members)),
    type(
      "ServerSettings",
      "Settings of the server. `createServer` takes them as options.",
      settings.filter((setting) => !isOfProgram(setting)),
    ),
    type(
      "ProgramSettings",
      "Settings of the program that starts the server, such as `quern serve`.",
      settings.filter(isOfProgram),
    ),
    constant({
      name: "settingTable",
      initializer: `${tableText(settings)} as const`,
      docs: comment("Variable, schema, default, unit and text of each setting."),
    }),
  ];
  return sourceFile("settings.ts", imports, statements, settingsName);
}

/** Returns all groups but the limits, which have a file of their own, each after the groups in it. */
function groupsIn(settings: readonly ServiceSetting[]): readonly SettingGroup[] {
  return settings.flatMap((setting) =>
    "members" in setting && setting.path !== "limits" ? [...groupsIn(setting.members), setting] : [],
  );
}
