import type { CommandContext, StricliProcess } from "@stricli/core";

/** Context of a command: its process. */
export interface Context extends CommandContext {
  readonly process: NodeJS.Process & StricliProcess;
}
