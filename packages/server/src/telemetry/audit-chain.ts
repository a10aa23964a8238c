import { hash } from "node:crypto";

/** Last line of an audit log, which the next line continues. */
export interface ChainHead {
  /** Number of the line, from 1; 0 if no line has a number yet. */
  readonly sequence: number;
  /** SHA-256 of the line without its line break, hexadecimal; null before the first line. */
  readonly hash: string | null;
}

/** Head of an empty audit log. */
export const emptyChain: ChainHead = { sequence: 0, hash: null };

/** Returns the line of an event that follows a head, without a line break. */
export function chainedLine(event: object, head: ChainHead): string {
  return JSON.stringify({ sequence: head.sequence + 1, previous: head.hash, ...event });
}

/** Returns the head after a line. A line without a valid link has the number 0. */
export function headOf(line: string): ChainHead {
  return { sequence: linkOf(line)?.sequence ?? 0, hash: hash("sha256", line) };
}

/** Members of a line that link it to the line before. */
export interface Link {
  readonly sequence: number;
  readonly previous: string | null;
}

/** Reads the link of a line; undefined if the line is not one of an audit log. */
export function linkOf(line: string): Link | undefined {
  const value = objectIn(line);
  if (value === undefined) return undefined;
  const { sequence, previous } = value;
  const isNumbered = typeof sequence === "number" && Number.isSafeInteger(sequence) && sequence > 0;
  if (!isNumbered) return undefined;
  return typeof previous === "string" || previous === null ? { sequence, previous } : undefined;
}

/** Returns the day (UTC) of a line, such as `2026-11-23`; undefined if it has none. */
export function dayOf(line: string): string | undefined {
  const time = objectIn(line)?.time;
  return typeof time === "string" ? /^\d{4}-\d{2}-\d{2}(?=T)/.exec(time)?.[0] : undefined;
}

function objectIn(line: string): { sequence?: unknown; previous?: unknown; time?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
