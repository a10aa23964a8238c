import { IndentationText, NewLineKind, Project, QuoteKind, type StatementStructures } from "ts-morph";
import { noticeLines, type OutputFile } from "../output-file.ts";
import type { Imports } from "./imports.ts";

const width = 120;

const project = new Project({
  useInMemoryFileSystem: true,
  skipLoadingLibFiles: true,
  manipulationSettings: {
    indentationText: IndentationText.TwoSpaces,
    newLineKind: NewLineKind.LineFeed,
    quoteKind: QuoteKind.Double,
  },
});

/** Prints one TypeScript file from one tree of structures. Adding to a printed file would parse it anew each time. */
export function sourceFile(path: string, imports: Imports, statements: readonly StatementStructures[]): OutputFile {
  const file = project.createSourceFile(
    path,
    { statements: [...imports.structures(), ...statements] },
    { overwrite: true },
  );
  const notice = noticeLines()
    .map((line) => `// ${line}\n`)
    .join("");
  const lines = outdented(file.getFullText().split("\n")).map(brokenImport);
  return { path, text: `${notice}\n${spaced(lines.join("\n"))}` };
}

/** A blank line before each documented declaration, and none at the end. */
function spaced(text: string): string {
  return `${text.replace(/([^\n])\n(?=\/\*\*)/g, "$1\n\n").trimEnd()}\n`;
}

/** One name a line where an import would be too long, so that a further name is a further line. */
function brokenImport(line: string): string {
  const parts = line.length > width ? /^(import (?:type )?\{) (.+) (\} from .+)$/.exec(line) : null;
  if (parts === null) return line;
  const [, start, names = "", end] = parts;
  return `${start}\n  ${names.split(", ").join(",\n  ")},\n${end}`;
}

/** Takes back the step by which ts-morph moves further lines of a declaration: literals and unions have their own. */
function outdented(lines: readonly string[]): readonly string[] {
  let isInside = false;
  return lines.map((line) => {
    if (!isInside) {
      isInside = /^(export )?(const .*[{[]|type \w+ = )$/.test(line);
      return line.trimEnd();
    }
    isInside = !/^ {2}([}\]]| {2}\|.*;$)/.test(line);
    return line.slice(2);
  });
}
