import type { StatementStructures, WriterFunction } from "ts-morph";
import { width } from "../layout.ts";
import type { DocComment } from "./doc-comment.ts";
import { oneLine, spread } from "./literal.ts";

/**
 * Statement of a generated file. Constants and types are texts, because ts-morph indents the further lines of
 * initializers and types by one step more than literals and unions need.
 */
export type Statement = StatementStructures | WriterFunction;

/** Call that is marked as free of side effects, so that bundlers drop its value if it is unused. */
interface PureCall {
  readonly callee: string;
  readonly args: readonly unknown[];
}

export interface ConstantOptions {
  readonly name: string;
  /** Type, and the types in its angle brackets. */
  readonly type?: string;
  readonly typeArguments?: readonly string[];
  /** Formatted literal, or a call. */
  readonly initializer: string | PureCall;
  readonly docs?: DocComment;
  readonly isExported?: boolean;
}

/** Returns `export const name: type = initializer;` on as few lines as fit. */
export function constant({
  name,
  type,
  typeArguments,
  initializer,
  docs,
  isExported = true,
}: ConstantOptions): Statement {
  const start = `${isExported ? "export " : ""}const ${name}${type === undefined ? "" : `: ${type}`}`;
  const head = `${start}${typeArguments === undefined ? "" : `<${typeArguments.join(", ")}>`} =`;
  if (typeof initializer === "string") return statement(`${head} ${initializer};`, docs);
  const line = `${head} ${callText(initializer)};`;
  if (line.length <= width) return statement(line, docs);
  if (head.length <= width) return statement(`${head}\n  ${callText(initializer, 2)};`, docs);
  const lines = (typeArguments ?? []).map((argument) => `  ${argument}`).join(",\n");
  return statement(`${start}<\n${lines}\n> = ${callText(initializer, 0, "> = ".length)};`, docs);
}

/** Returns `export type name = A | B;`, one alternative a line if it is too long for one line. */
export function typeAlias(name: string, alternatives: readonly string[], docs: DocComment): Statement {
  const line = `export type ${name} = ${alternatives.join(" | ")};`;
  const isLong = line.length > width && alternatives.length > 1;
  return statement(isLong ? `export type ${name} =\n  | ${alternatives.join("\n  | ")};` : line, docs);
}

/** Member of an interface: its text, which may have several lines, and its comment. */
export interface Member {
  readonly text: string;
  readonly docs?: DocComment | undefined;
}

/** Returns `export interface name { … }`. */
export function interfaceOf(name: string, members: readonly Member[], docs: DocComment): Statement {
  const texts = members.map(({ text, docs: own }) => (own === undefined ? text : `${commentText(own)}\n${text}`));
  const lines = texts.flatMap((text) => text.split("\n").map((line) => `  ${line}`));
  return statement([`export interface ${name} {`, ...lines, "}"].join("\n"), docs);
}

function callText({ callee, args }: PureCall, indent?: number, column = indent): string {
  const call = `/*@__PURE__*/ ${callee}`;
  const line = `${call}(${args.map(oneLine).join(", ")})`;
  if (indent === undefined || column === undefined || column + line.length + 1 <= width) return line;
  return `${call}(${spread(args, indent)})`;
}

/** Writes a statement after its comment. A blank line separates a comment from the text before it. */
function statement(text: string, docs: DocComment | undefined): WriterFunction {
  return (writer) => {
    if (docs !== undefined) {
      if (writer.getLength() > 0) writer.blankLineIfLastNot();
      writer.writeLine(commentText(docs));
    }
    writer.write(text);
  };
}

function commentText({ description }: DocComment): string {
  const [first, ...lines] = description.split("\n");
  if (lines.length === 0) return `/** ${first} */`;
  return ["/**", ...lines.map((line) => (line === "" ? " *" : ` * ${line}`)), " */"].join("\n");
}
