import type { Completion, CompletionContext, CompletionSource } from "@codemirror/autocomplete";
import { type Client, completeSql } from "@quern/client";
import { statementAt } from "./statement.ts";

const ICONS: Readonly<Record<string, string>> = {
  keyword: "keyword",
  catalog: "namespace",
  schema: "namespace",
  table: "class",
  column: "property",
  function: "function",
  type: "type",
};

/** Suggests what the service suggests for the statement at the cursor. */
export function sqlCompletion(client: Client, dataSource: () => string | undefined): CompletionSource {
  return async (context: CompletionContext) => {
    if (!context.explicit && context.matchBefore(/[\p{L}\p{N}_".]$/u) === null) return null;
    const text = context.state.doc.toString();
    const statement = statementAt(text, context.pos);
    const from = statement === undefined || context.pos < statement.from ? 0 : statement.from;
    const controller = new AbortController();
    context.addEventListener("abort", () => controller.abort());
    const request = { sql: text.slice(from), position: context.pos - from, dataSource: dataSource() };
    const { completions } = await completeSql(client, request, { signal: controller.signal }).catch(() => NOTHING);
    const [first] = completions;
    if (first === undefined) return null;
    const options = completions
      .filter(({ start }) => start === first.start)
      .map(
        ({ text: label, kind }, index): Completion => ({
          label,
          type: ICONS[kind ?? ""] ?? "text",
          ...(kind !== null && { detail: kind }),
          // Keeps the order of the service among those that match equally well.
          boost: Math.max(-99, -index),
        }),
      );
    return { from: from + first.start, options, validFor: /^[\p{L}\p{N}_"]*$/u };
  };
}

/** Without an answer, the user types on. */
const NOTHING = { completions: [] } as const;
