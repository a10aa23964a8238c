import { readFile } from "node:fs/promises";
import type { Context } from "../../command-function.ts";
import { packageFolder } from "../../package-folder.ts";

const extensions = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "ps1" } as const;

export type Shell = keyof typeof extensions;

export async function runCompletion(this: Context, _flags: Record<never, never>, shell: Shell): Promise<void> {
  this.process.stdout.write(await readFile(new URL(`completion/quern.${extensions[shell]}`, packageFolder), "utf8"));
}
