import type { RunStore } from "@quern/adapter";

/** Texts of statements, which every page of a result repeats. */
export interface StatementTexts {
  /** Returns the text of a statement; null if the store no longer has it. */
  of(tenantId: string, sqlStatementId: string): Promise<string | null>;
}

/** Largest length of all texts that are kept, in characters. */
const maxCharacters = 10_000_000;

/** Reads texts from the store, and keeps the ones that were read last. A statement never changes its text. */
export function createStatementTexts(runs: Pick<RunStore, "statement">): StatementTexts {
  const kept = new Map<string, string>();
  let characters = 0;

  function forget(key: string): void {
    characters -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  /** Keeps a text as the last one of the map, and forgets the first ones beyond the limit. */
  function keep(key: string, text: string): void {
    forget(key);
    kept.set(key, text);
    characters += text.length;
    for (const oldest of kept.keys()) {
      if (characters <= maxCharacters) return;
      forget(oldest);
    }
  }

  return {
    async of(tenantId, sqlStatementId) {
      const key = JSON.stringify([tenantId, sqlStatementId]);
      const text = kept.get(key) ?? (await runs.statement(tenantId, sqlStatementId))?.sql ?? null;
      if (text !== null) keep(key, text);
      return text;
    },
  };
}
