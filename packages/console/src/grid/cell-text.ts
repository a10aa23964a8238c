/** Characters of a cell that the grid draws; the panel shows more. */
const CELL_LENGTH = 300;

/** Control characters, and characters that change the direction of the text around them or that nobody sees. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const NAMES: Readonly<Record<string, string>> = { "\n": "⏎", "\t": "⇥", "\r": "␍" };

/** Replaces characters that cannot be seen by marks: line breaks by arrows, others by their number. */
export const visible = (text: string): string =>
  text.replace(
    INVISIBLE,
    (character) =>
      NAMES[character] ?? `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );

/** Returns a value as text, exactly: without separators or rounding, nested values as JSON. */
export function exactText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "NULL";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns what the grid draws for a value that is neither NULL nor empty. */
export function cellText(value: unknown): string {
  const text = exactText(value);
  return text.length > CELL_LENGTH ? `${visible(text.slice(0, CELL_LENGTH))}…` : visible(text);
}

export const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;
