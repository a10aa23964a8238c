import { printable } from "./row.ts";

/** Stream that a person may read on a terminal. */
export type PersonStream = Pick<NodeJS.WriteStream, "write">;

/** Width if a terminal reports 0 columns, as one without a window does. */
const defaultColumns = 80;

/**
 * Returns the width of a terminal in characters: COLUMNS, else that of the stream. Returns undefined for a stream that is no
 * terminal.
 */
export function terminalColumns(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<NodeJS.ProcessEnv>,
): number | undefined {
  return isTTY ? (columnsIn(env) ?? columns) || defaultColumns : undefined;
}

/** Returns the width of help, which COLUMNS also limits in a pipe. */
export function helpColumns(
  stdout: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<NodeJS.ProcessEnv>,
): number | undefined {
  const columns = columnsIn(env);
  return columns === undefined ? terminalColumns(stdout, env) : columns || defaultColumns;
}

function columnsIn({ COLUMNS = "" }: Readonly<NodeJS.ProcessEnv>): number | undefined {
  return /^\d{1,6}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

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

/** Returns the function that writes to a stream without escapes, for a text that controls the terminal. */
export function rawWriteOf(stream: PersonStream): (text: string) => boolean {
  return originalWrites.get(stream) ?? ((text) => stream.write(text));
}

/** Replaces the text in the last line of a terminal. */
export function replaceLine(stream: PersonStream, text: string): void {
  rawWriteOf(stream)(`\r\u001b[K${printableLines(text)}`);
}
