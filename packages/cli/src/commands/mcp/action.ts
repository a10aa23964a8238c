import { type Context, commandFunction } from "../../command-function.ts";
import { connect } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { JsonFlag } from "../../flags.ts";
import { optionalPackage } from "../../optional-package.ts";

export interface McpFlags extends Pick<ConnectionFlags, "profile" | "url" | "apiKeyFile">, JsonFlag {
  readonly tool?: readonly string[];
}

type Mcp = typeof import("@quern/mcp");

export const runMcp = commandFunction(async (context: Context, { tool, ...flags }: McpFlags) => {
  const { process } = context;
  const client = await connect(flags, context, []);
  const mcp = await optionalPackage<Mcp>("mcp", "@quern/mcp", process.cwd());
  const unknown = tool?.find((name) => !mcp.toolNames.includes(name));
  if (unknown !== undefined) throw new UsageError(`unknown tool: ${unknown}; use one of ${mcp.toolNames.join(", ")}`);
  // stdout is the connection: messages for people go to stderr.
  const onError = ({ message }: Error) => void process.stderr.write(`quern mcp: ${message}\n`);
  await mcp.serveMcpStdio(client, { tools: tool, onError });
});
