import { limitsName, type OutputFile, provenance } from "../../output-file.ts";
import { type ServiceSetting, withoutLimits } from "../../service-settings.ts";
import { docComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant, interfaceOf } from "../../typescript/statement.ts";
import { settingMember, tableText } from "./setting.ts";

/** Generates the limits as an interface for callers, and as the table that checks their values. */
export function limitsFile(settings: readonly ServiceSetting[]): OutputFile {
  const imports = createImports();
  const { limits } = withoutLimits(settings);
  const comment = (text: string) => docComment([text], [provenance("/limits", limitsName)]);
  return sourceFile(
    "limits.ts",
    imports,
    [
      interfaceOf(
        "ServerLimits",
        limits.map((limit) => settingMember(limit, imports)),
        comment("Limits of the service. Each member is optional and has a default."),
      ),
      constant({
        name: "limitTable",
        initializer: `${tableText(limits)} as const`,
        docs: comment("Variable, schema, default, unit and text of each limit."),
      }),
    ],
    limitsName,
  );
}
