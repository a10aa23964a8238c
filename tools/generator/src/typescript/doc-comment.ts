import workspace from "../../../../package.json" with { type: "json" };
import type { MethodModel } from "../model.ts";
import { provenance } from "../output-file.ts";

const width = 116;

/** Text of a comment. A text of several lines begins with a line break. */
export interface DocComment {
  readonly description: string;
}

/** Formats paragraphs as a wrapped doc comment. Texts may contain anything, even the end of a comment. */
export function docComment(paragraphs: readonly string[], tags: readonly string[] = [], indent = 0): DocComment {
  const texts = paragraphs
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => wrap(escaped(paragraph), width - indent).replaceAll(/^(\s*)@/gm, "$1\\@"));
  const blocks = [...texts, ...(tags.length > 0 ? [tags.map(escaped).join("\n")] : [])];
  const text = blocks.join("\n\n");
  // On the first line the text shares the columns with the marks of the comment.
  return { description: text.includes("\n") || text.length > width - 4 - indent ? `\n${text}` : text };
}

/** Returns the comment of a declaration with its source in the document. */
export function declarationComment(
  paragraphs: readonly string[],
  pointer: string,
  tags: readonly string[] = [],
  indent = 0,
): DocComment {
  return docComment(paragraphs, [...tags, provenance(pointer)], indent);
}

/** Returns the comment of a method: summary, description, errors and a link to the reference. */
export function methodComment(method: MethodModel, indent = 0): DocComment {
  const { summary, description, pointer, slug, deprecated } = method;
  const errors = method.errors.map(({ name, code }) => `${name} (${code})`).join(", ");
  const paragraphs = [summary, description === summary ? "" : description, errors === "" ? "" : `Errors: ${errors}.`];
  const tags = [...(deprecated ? ["@deprecated"] : []), referenceLink(`methods/${slug}.md`)];
  return declarationComment(paragraphs, pointer, tags, indent);
}

/**
 * Returns the tag that links a declaration to its page of the reference. Published declarations need an absolute
 * address.
 */
export function referenceLink(page: string): string {
  return `@see ${workspace.homepage}/blob/main/docs/reference/${page}`;
}

/** Wraps a text at spaces into lines of at most `limit` characters. Existing line breaks are kept. */
export function wrap(text: string, limit: number): string {
  return text
    .split("\n")
    .map((line) => {
      const lines: string[] = [];
      let current = "";
      for (const word of line.split(" ")) {
        if (current !== "" && current.length + 1 + word.length > limit) {
          lines.push(current);
          current = word;
        } else current = current === "" ? word : `${current} ${word}`;
      }
      return [...lines, current].join("\n");
    })
    .join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("*/", "*\\/");
}
