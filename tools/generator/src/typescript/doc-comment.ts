import type { JSDocStructure, OptionalKind } from "ts-morph";
import { provenance } from "../output-file.ts";

const width = 116;

/** A doc comment of paragraphs, wrapped. Texts may hold anything, even the end of a comment. */
export function docComment(
  paragraphs: readonly string[],
  tags: readonly string[] = [],
  indent = 0,
): OptionalKind<JSDocStructure> {
  const texts = paragraphs
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => wrap(escaped(paragraph), width - indent).replaceAll(/^(\s*)@/gm, "$1\\@"));
  const blocks = [...texts, ...(tags.length > 0 ? [tags.map(escaped).join("\n")] : [])];
  const text = blocks.join("\n\n");
  return { description: text.includes("\n") || text.length > width - indent ? `\n${text}` : text };
}

/** The comment of a declaration: what it is, and where the document says so. */
export function declarationComment(
  paragraphs: readonly string[],
  pointer: string,
  tags: readonly string[] = [],
): OptionalKind<JSDocStructure> {
  return docComment(paragraphs, [...tags, provenance(pointer)]);
}

/** Breaks a text into lines of at most `limit` characters, at spaces; the line breaks it has are kept. */
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
