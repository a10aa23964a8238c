import { noticeLines, provenance } from "../../output-file.ts";

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
  return `\`\`\`${language}\n${text}\n\`\`\``;
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
