import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import type { Shell } from "./action.ts";

const shells: readonly Shell[] = ["bash", "zsh", "fish", "powershell"];

/** `quern completion`: prints the script that completes command lines in a shell. */
export const completionCommand: Command<Context> = buildCommand<Record<never, never>, [shell: Shell], Context>({
  loader: async () => (await import("./action.ts")).runCompletion,
  parameters: {
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: parseShell,
          proposeCompletions: () => shells,
          placeholder: "shell",
          brief: `Shell: ${shells.join(", ")}.`,
        },
      ],
    },
  },
  docs: {
    brief: "Print the script that completes commands, flags and names in a shell.",
    fullDescription: [
      "Prints the script with which a shell completes commands, flags, their values, files, and the names of tables, sources and",
      "runs of the service that QUERN_URL and QUERN_API_KEY name. Put the line of your shell in the file that it reads at its",
      "start.",
      "",
      "SHELLS",
      "  ~/.bashrc                   source <(quern completion bash)",
      "  ~/.zshrc, after compinit    source <(quern completion zsh)",
      "  ~/.config/fish/config.fish  quern completion fish | source",
      "  $PROFILE of PowerShell      quern completion powershell | Out-String | Invoke-Expression",
      "",
      "EXAMPLES",
      "  quern completion fish | source",
    ].join("\n"),
  },
});

function parseShell(text: string): Shell {
  const shell = shells.find((name) => name === (text === "pwsh" ? "powershell" : text));
  if (shell !== undefined) return shell;
  throw new SyntaxError(`expected one of ${shells.join(", ")}`);
}
