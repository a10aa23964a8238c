import { noticeLines, provenance } from "../../output-file.ts";
import { longestTicks } from "../../schema-text.ts";

/** A heading, and where in the document the section comes from; the service's, if not said otherwise. */
export function heading(level: number, text: string, pointer: string, source?: string): string {
  return `${"#".repeat(level)} ${text}\n\n<!-- ${provenance(pointer, source)} -->`;
}

/** A table; nothing at all where it would have no rows. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

export function codeBlock(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text of the document as Markdown that shows it as it is; only its code in backticks stays code. */
export function prose(text: string): string {
  const parts = text.split(/((?<!`)(`+)(?!`)[\s\S]*?(?<!`)\2(?!`))/);
  // Each match adds two parts: the code and its backticks.
  return parts
    .map((part, index) => (index % 3 === 0 ? escaped(part) : index % 3 === 1 ? part : ""))
    .join("")
    .replaceAll(/^[ \t]+/gm, "")
    .replaceAll(/^([#+=-]|~~~|\d+(?=[.)]\s))/gm, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*[\]<>]/g, "\\$&")
    .replaceAll(/&(?=#?\w+;)/g, "\\&")
    .replaceAll("~~", "\\~\\~")
    .replaceAll(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\_");
}

/** A whole page of blocks, with a blank line between them. */
export function page(blocks: readonly string[], source?: string): string {
  const notice = `<!-- ${noticeLines(source).join(" ")} -->`;
  return `${[notice, ...blocks.filter((block) => block !== "")].join("\n\n")}\n`;
}

/** What would end a cell is escaped; a line break becomes a space. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
