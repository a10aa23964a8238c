import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { packageNames, read, root, sourceFiles } from "./tree.ts";

export interface Comment {
  readonly line: number;
  /** Text without the marks of the comment, on one line. */
  readonly text: string;
}

/** Comment that breaks a rule of wording. */
export interface CommentFault {
  /** `path:line`. */
  readonly at: string;
  readonly text: string;
}

const RULES = [/^(what|whether|whoever|how|those|of)\b/i, /\bleft out\b/i, /\bwhoever\b/i];

/** Returns comments that break a rule of wording, by package or tool: source files of packages, all files of tools. */
export function commentFaults(): Map<string, CommentFault[]> {
  const folders = [
    ...packageNames().map((name) => [name, [`packages/${name}/src`, `packages/${name}/src/generated`]] as const),
    ...readdirSync(join(root, "tools")).map((name) => [`tools/${name}`, [`tools/${name}`]] as const),
  ];
  return new Map(
    folders
      .map(([name, paths]) => [name, paths.flatMap(sourceFiles).flatMap(faultsOf)] as const)
      .filter(([, faults]) => faults.length > 0),
  );
}

function faultsOf(path: string): CommentFault[] {
  return commentsIn(path, read(path))
    .filter(({ text }) => RULES.some((rule) => rule.test(text)))
    .map(({ line, text }) => ({ at: `${path}:${line}`, text }));
}

/** Returns the comments of a source text. The syntax tree tells them from strings that look like comments. */
export function commentsIn(path: string, text: string): Comment[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, ts.CommentRange>();
  const texts: ts.JsxText[] = [];
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    for (const child of children) visit(child);
    if (ts.isJsxText(node)) texts.push(node);
    if (children.length > 0) return;
    const found = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const range of found) ranges.set(range.pos, range);
  };
  visit(source);
  const comments = [...ranges.values()].filter(({ pos }) => !texts.some((text) => text.pos <= pos && pos < text.end));
  return paragraphs(
    text,
    comments.sort((a, b) => a.pos - b.pos),
  ).map(({ pos, end }) => ({
    line: source.getLineAndCharacterOfPosition(pos).line + 1,
    text: withoutMarks(text.slice(pos, end)),
  }));
}

/** Joins successive `//` lines to one comment. */
function paragraphs(text: string, ranges: readonly ts.CommentRange[]): ts.TextRange[] {
  const joined: { pos: number; end: number }[] = [];
  let previous: ts.CommentRange | undefined;
  for (const range of ranges) {
    const last = joined.at(-1);
    const follows =
      previous?.kind === ts.SyntaxKind.SingleLineCommentTrivia &&
      range.kind === ts.SyntaxKind.SingleLineCommentTrivia &&
      /^\r?\n[ \t]*$/.test(text.slice(previous.end, range.pos)) &&
      /(^|\n)[ \t]*$/.test(text.slice(0, previous.pos));
    if (follows && last) last.end = range.end;
    else joined.push({ pos: range.pos, end: range.end });
    previous = range;
  }
  return joined;
}

function withoutMarks(comment: string): string {
  return comment
    .replace(/^\/\*+|\*+\/$/g, "")
    .split("\n")
    .map((line) => line.trim().replace(/^(\*|\/\/+)\s?/, ""))
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}
