import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { storeListFlags } from "../../data-directory/flags.ts";
import type { UsageFlags } from "./action.ts";

/** `quern usage`: monthly usage of each user. */
export const usageCommand: Command<Context> = buildCommand<UsageFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runUsage,
  parameters: {
    flags: {
      month: {
        kind: "parsed",
        parse: parseMonth,
        optional: true,
        placeholder: "year-month",
        brief: "Only this month (UTC), such as 2026-11.",
      },
      ...storeListFlags,
    },
  },
  docs: {
    brief: "Show the monthly usage of each user.",
    fullDescription: [
      "Shows execution seconds, runs, result rows and bytes read for each user and month.",
      "",
      "EXAMPLES",
      "  quern usage --month 2026-11 --format csv",
    ].join("\n"),
  },
});

function parseMonth(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new RangeError("expected a month such as 2026-11");
}
