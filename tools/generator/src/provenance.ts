import { sourceName } from "./output-file.ts";

/** A declaration of a generated file, and the place in the document it comes from. */
export interface Origin {
  readonly declaration: string;
  readonly source: string;
}

const wholeFile: Origin = { declaration: "(whole file)", source: `${sourceName}#` };

const provenancePattern = new RegExp(`@generated from ${sourceName.replaceAll(".", "\\.")}#(\\S*)`);

/** What the line (from 0) of a generated file belongs to, told from what the file says of itself. */
export function originAt(path: string, text: string, line: number): Origin {
  const lines = text.split("\n");
  if (path.endsWith(".ts"))
    return blockOrigin(lines, line, (current, index) => current === "" || index === 0, typeScriptName);
  if (path.endsWith(".md"))
    return blockOrigin(
      lines,
      line,
      (current) => /^#{1,3} /.test(current),
      (block) => /^#{1,3} `?([^`\n]+)/m.exec(block)?.[1],
    );
  return blockOrigin(
    lines,
    line,
    (current) => current === "    {",
    (block) => /"id": "([^"]+)"/.exec(block)?.[1],
    /"source": "(\/[^"]*)"/,
  );
}

/** Takes the block around the line: from the last line that starts one to the next that does. */
function blockOrigin(
  lines: readonly string[],
  line: number,
  starts: (line: string, index: number) => boolean,
  nameOf: (block: string) => string | undefined,
  pointer: RegExp = provenancePattern,
): Origin {
  const first = lines.findLastIndex((current, index) => index <= line && starts(current, index));
  if (first < 0) return wholeFile;
  const next = lines.findIndex((current, index) => index > Math.max(first, line) && starts(current, index));
  const block = lines.slice(first, next < 0 ? undefined : next).join("\n");
  const name = nameOf(block);
  const place = pointer.exec(block)?.[1];
  return name === undefined || place === undefined
    ? wholeFile
    : { declaration: name, source: `${sourceName}#${place}` };
}

function typeScriptName(block: string): string | undefined {
  return /^(?:export )?(?:const|interface|type|function) (\w+)/m.exec(block)?.[1];
}

/** The first line (from 0) in which two texts differ. */
export function firstDifference(one: string, other: string): number {
  const [first, second] = [one.split("\n"), other.split("\n")];
  const index = first.findIndex((line, at) => line !== second[at]);
  return index < 0 ? first.length - 1 : index;
}
