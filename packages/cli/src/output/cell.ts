/** A value of a row as text for csv and tables; null and undefined are for the format to show. */
export function cellText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const controls = /[\p{Cc}\p{Bidi_Control}]/gu;
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Escapes the characters that move the cursor, change colours or change the direction of a terminal. */
export function printable(text: string): string {
  return text.replace(
    controls,
    (control) => named[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
