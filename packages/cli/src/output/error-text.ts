import type { ErrorPlace } from "../errors/error-place.ts";
import { type Failure, failureLine } from "../errors/failure.ts";
import { printable } from "./row.ts";
import { clipped, textWidth } from "./text-width.ts";

/**
 * Formats an error for a terminal, without a line end. If the engine has reported the position, the line of the statement
 * follows, with a caret under the place.
 * @param start Start of the first line. @default "error: "
 */
export function errorText(failure: Failure, place: ErrorPlace | undefined, columns: number, start = "error: "): string {
  const position = place === undefined ? undefined : positionOf(failure.details?.data);
  const isPlaced = place !== undefined && position !== undefined && position <= place.sql.length;
  // The position is under the caret.
  const message = isPlaced ? failure.message.replace(/ \(line \d+, column \d+\)/, "") : failure.message;
  const text = failureLine({ ...failure, message }).replace(/^quern: /, "");
  const origin = place?.file === undefined ? "" : `${printable(place.file)}:${place.line}: `;
  const head = `${origin}${start}${text}`;
  return isPlaced ? `${head}\n${markedLine(place, position, columns)}` : head;
}

/** Returns the offset of an error in the statement. Errors of `describeQuery` nest it in `errorData`. */
function positionOf(data: unknown): number | undefined {
  const { position, errorData } = Object(data) as { readonly position?: unknown; readonly errorData?: unknown };
  if (typeof position === "number" && position >= 0) return position;
  return errorData == null ? undefined : positionOf(errorData);
}

/** Least number of columns of the text, and most of those from the caret on in a line that is cut before it. */
const textColumns = 24;
const caretColumns = 20;

/** Returns the line of the statement with the position, and a caret below it. */
function markedLine({ sql, line }: ErrorPlace, position: number, columns: number): string {
  const start = lastLineStart(sql.slice(0, position));
  const [text = ""] = sql.slice(start).split(/\r\n|\r|\n/, 1);
  const number = line + sql.slice(0, start).split(/\r\n|\r|\n/).length - 1;
  const label = `line ${number}: `;
  const room = Math.max(columns - label.length, textColumns);
  const beforeRoom = room - Math.min(caretColumns, room / 2);
  let before = shown(text.slice(0, position - start));
  const after = shown(text.slice(position - start));
  if (textWidth(before) > beforeRoom) before = `…${lastPart(before, beforeRoom)}`;
  const caret = `${" ".repeat(label.length + textWidth(before))}^`;
  return `${label}${before}${clipped(after, Math.max(1, room - textWidth(before)))}\n${caret}`;
}

function lastLineStart(text: string): number {
  return Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
}

/** Returns a text of one line with tabs as spaces, so that each character has a width. */
function shown(text: string): string {
  return printable(text.replaceAll("\t", "    "));
}

/** Returns the end of a text that fits a number of columns. */
function lastPart(text: string, columns: number): string {
  const segments = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  let width = 0;
  let start = segments.length;
  while (start > 0 && width + textWidth(segments[start - 1] ?? "") < columns) {
    start -= 1;
    width += textWidth(segments[start] ?? "");
  }
  return segments.slice(start).join("");
}
