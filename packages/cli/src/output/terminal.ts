import { printable } from "./row.ts";

/** Stream that a person may read on a terminal. */
export type PersonStream = Pick<NodeJS.WriteStream, "write">;

const originalWrites = new WeakMap<object, (text: string) => boolean>();

/** Escapes control characters other than line feeds and tabs, so that a text cannot control the terminal. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

/**
 * Escapes the control characters of all that is written to a stream: texts of a server, an engine or a file may be
 * anywhere in a message. JSON stays the same value, because its strings can have the escapes.
 */
export function escapeControls(stream: PersonStream): void {
  if (originalWrites.has(stream)) return;
  const write = stream.write.bind(stream);
  originalWrites.set(stream, write);
  const decoder = new TextDecoder();
  const escaped = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean =>
    Reflect.apply(write, undefined, [
      printableLines(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })),
      ...rest,
    ]);
  stream.write = escaped;
}

/** Replaces the text in the last line of a terminal. */
export function replaceLine(stream: PersonStream, text: string): void {
  const write = originalWrites.get(stream) ?? ((line) => stream.write(line));
  write(`\r\u001b[K${printableLines(text)}`);
}
