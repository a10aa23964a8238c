import { IndentationText, NewLineKind, Project, QuoteKind } from "ts-morph";
import { noticeLines, type OutputFile } from "../output-file.ts";
import type { Imports } from "./imports.ts";
import type { Statement } from "./statement.ts";

const project = new Project({
  useInMemoryFileSystem: true,
  skipLoadingLibFiles: true,
  manipulationSettings: {
    indentationText: IndentationText.TwoSpaces,
    newLineKind: NewLineKind.LineFeed,
    quoteKind: QuoteKind.Double,
  },
});

/**
 * Prints a TypeScript file from one tree of structures, because each addition to a printed file would parse it again.
 * @param source File that it is generated from.
 * @default "spec/openrpc.json"
 */
export function sourceFile(
  path: string,
  imports: Imports,
  statements: readonly Statement[],
  source?: string,
): OutputFile {
  const all = [...imports.structures(), ...statements];
  const text = project.createSourceFile(path, { statements: all }, { overwrite: true }).getFullText();
  const notice = noticeLines(source).map((line) => `// ${line}\n`);
  return { path, text: `${notice.join("")}\n${text.trimEnd()}\n` };
}
