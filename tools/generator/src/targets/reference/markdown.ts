import { noticeLines, provenance } from "../../output-file.ts";
import { longestTicks } from "../../schema-text.ts";

/**
 * Returns a heading with the source of its section.
 * @param source Name of the document.
 * @default the document of the service
 */
export function heading(level: number, text: string, pointer: string, source?: string): string {
  return `${"#".repeat(level)} ${text}\n\n<!-- ${provenance(pointer, source)} -->`;
}

/** Returns a table, or an empty text if there are no rows. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

export function codeBlock(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Escapes a text of the document for Markdown. Only code in backticks stays markup. */
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

/** Joins blocks to a page, with blank lines between them. */
export function page(blocks: readonly string[], source?: string): string {
  const notice = `<!-- ${noticeLines(source).join(" ")} -->`;
  return `${[notice, ...blocks.filter((block) => block !== "")].join("\n\n")}\n`;
}

/** Escapes the bar, which would end the cell, and replaces line breaks with spaces. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
