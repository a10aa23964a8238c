import { sourceName } from "./output-file.ts";

/** Declaration in a generated file, with its source in the document. */
export interface Origin {
  readonly declaration: string;
  readonly source: string;
}

export const wholeFile: Origin = { declaration: "(whole file)", source: `${sourceName}#` };

/** Syntax of declarations in a kind of file: the name and the pointer of each. */
interface Format {
  readonly extension: string;
  /** Returns true if a declaration begins at the line. */
  readonly begins: (line: string) => boolean;
  readonly name: RegExp;
  readonly pointer: RegExp;
}

const provenance = /@generated from (?<file>\S+?)#(?<pointer>\S*)/;

const formats: readonly Format[] = [
  {
    extension: ".ts",
    begins: (line) => /^(\/\*\*|import )/.test(line),
    name: /^(?:export )?(?:const|interface|type) (\w+)/m,
    pointer: provenance,
  },
  { extension: ".md", begins: (line) => /^#{1,3} /.test(line), name: /^#{1,3} (.+)$/m, pointer: provenance },
  {
    extension: ".json",
    begins: (line) => line === "    {",
    name: /"id": "([^"]+)"/,
    pointer: /"source": "(?<pointer>\/[^"]*)"/,
  },
];

/** Returns the declaration that a line (from 0) of a generated file belongs to, as its comments tell. */
export function originAt(path: string, text: string, line: number): Origin {
  const format = formats.find(({ extension }) => path.endsWith(extension));
  if (format === undefined) return wholeFile;
  const lines = text.split("\n");
  const first = lines.findLastIndex((current, index) => index <= line && format.begins(current));
  if (first < 0) return wholeFile;
  const next = lines.findIndex((current, index) => index > first && format.begins(current));
  const block = lines.slice(first, next < 0 ? undefined : next).join("\n");
  const declaration = format.name.exec(block)?.[1];
  const { file = sourceName, pointer } = format.pointer.exec(block)?.groups ?? {};
  return declaration === undefined || pointer === undefined ? wholeFile : { declaration, source: `${file}#${pointer}` };
}

/** Returns the first line (from 0) in which two texts differ. */
export function firstDifference(one: string, other: string): number {
  const [first, second] = [one.split("\n"), other.split("\n")];
  const index = first.findIndex((line, at) => line !== second[at]);
  return index < 0 ? first.length - 1 : index;
}
