import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../context.ts";
import { type ListenFlags, listenFlags } from "./listening.ts";

/** `quern mock`: a service in memory, for the tests of any language. */
export const mockCommand: Command<Context> = buildCommand<ListenFlags, [], Context>({
  loader: async () => (await import("./run-mock.ts")).runMock,
  parameters: { flags: listenFlags },
  docs: {
    brief: "Start a mock service in memory.",
    fullDescription: [
      "Starts a mock service in memory: every statement succeeds at the first poll with the rows of the contract's example.",
      "QUERN_API_KEY is the key it accepts, any text; without it one is made and shown once.",
      "",
      "EXAMPLES",
      "  QUERN_API_KEY=any quern mock --port 8090",
      "  quern mock --port 0 --json",
    ].join("\n"),
  },
});
