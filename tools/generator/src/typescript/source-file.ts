import { IndentationText, NewLineKind, Project, QuoteKind, type StatementStructures } from "ts-morph";
import { noticeLines, type OutputFile } from "../output-file.ts";
import type { Imports } from "./imports.ts";

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
  const notice = noticeLines.map((line) => `// ${line}\n`).join("");
  return { path, text: `${notice}\n${spaced(file.getFullText())}` };
}

/** A blank line before each documented declaration, and none at the end. */
function spaced(text: string): string {
  return `${outdented(text)
    .replace(/([^\n])\n(?=\/\*\*)/g, "$1\n\n")
    .trimEnd()}\n`;
}

/** Takes back the step by which ts-morph moves the further lines of an initializer: literals come with their own. */
function outdented(text: string): string {
  let inside = false;
  return text
    .split("\n")
    .map((line) => {
      if (!inside) inside = /^(export )?const .*[{[]$/.test(line);
      else {
        inside = !/^ {2}[}\]]/.test(line);
        return line.slice(2);
      }
      return line;
    })
    .join("\n");
}
