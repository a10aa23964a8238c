import { limitsName, type OutputFile } from "../../output-file.ts";
import { defaultWords, type ServiceLimit } from "../../service-limits.ts";
import { heading, page, prose, table } from "./markdown.ts";

/** Generates the page of limits. */
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
        "Set a limit in the configuration file, with `quern serve --set limits.maxBatch=50`, or with an environment variable: `QUERN_LIMITS_` and " +
          "the name in capitals, such as `QUERN_LIMITS_MAX_BATCH`. `createServer` takes the same names in `limits`. `quern configuration` " +
          "prints the current settings.",
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
