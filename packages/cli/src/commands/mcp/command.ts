import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import type { McpFlags } from "./action.ts";

/** `quern mcp`: serves language-model agents on stdin and stdout. */
export const mcpCommand: Command<Context> = buildCommand<McpFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runMcp,
  parameters: {
    flags: {
      profile: connectionFlags.profile,
      url: connectionFlags.url,
      apiKeyFile: connectionFlags.apiKeyFile,
      tool: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Tool to offer; repeat the flag for several. Default: all tools.",
      },
      ...jsonFlag,
    },
  },
  docs: {
    brief: "Let a language-model agent query.",
    fullDescription: [
      "Serves the Model Context Protocol (MCP) on stdin and stdout, for a program that starts the command, such as an editor.",
      "The agent has the rights of the key. The command ends when stdin ends, and withdraws the queries of calls in progress.",
      "A query that was answered as running goes on: the agent can read its rows later, by its runId.",
      "",
      "EXAMPLES",
      "  quern mcp --url http://127.0.0.1:8080 --api-key-file ./agent.key",
      "  quern mcp --profile production",
      "  quern mcp --tool query --tool read_rows --tool list_tables",
    ].join("\n"),
  },
});
