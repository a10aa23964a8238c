import type { CommandContext, StricliProcess } from "@stricli/core";

/** What a command has of the world. */
export interface Context extends CommandContext {
  readonly process: NodeJS.Process & StricliProcess;
}
