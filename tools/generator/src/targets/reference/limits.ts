import { limitsName, type OutputFile } from "../../output-file.ts";
import { defaultWords, type ServiceLimit } from "../../service-limits.ts";
import { heading, page, prose, table } from "./markdown.ts";

/** The limits of the service, and the ways to set each. */
export function limitsPage(limits: readonly ServiceLimit[]): OutputFile {
  const rows = limits.map((limit) => [
    `\`limits.${limit.name}\``,
    prose(limit.text),
    limit.unit,
    prose(defaultWords(limit)),
    bounds(limit.schema),
  ]);
  return {
    path: "limits.md",
    text: page(
      [
        heading(1, "Limits of the service", "/limits", limitsName),
        "Set a limit in the configuration file, by `--set limits.maxBatch=50` of `quern serve`, or by an environment variable: its name in capitals " +
          "after `QUERN_LIMITS_`, such as `QUERN_LIMITS_MAX_BATCH`. `createServer` takes the same names in `limits`. `quern configuration` " +
          "prints the settings that are in force.",
        table(["Limit", "Meaning", "Unit", "Default", "Values"], rows),
      ],
      limitsName,
    ),
  };
}

function bounds({ type, minimum, maximum }: ServiceLimit["schema"]): string {
  const words = type === "integer" ? "whole numbers" : "numbers";
  return [words, `from ${minimum}`, ...(maximum === undefined ? [] : [`to ${maximum}`])].join(" ");
}
