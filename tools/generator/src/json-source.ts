import { type Node, parseTree } from "jsonc-parser";
import type { Faults } from "./faults.ts";
import { pointerBelow } from "./pointer.ts";

/** Greatest depth of a value; deeper values overflow the stack, here or in ajv. */
const maxDepth = 200;

/**
 * Parses JSON. Reports faults, also losses that `JSON.parse` ignores: repeated keys, and digits of numbers that a
 * double cannot hold. Returns undefined if the text is not JSON or is nested too deep.
 */
export function parseSource(text: string, file: string, faults: Faults): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const tree = parseTree(text);
    return tree === undefined || checkNode(tree, text, "", 0, faults) ? value : undefined;
  } catch (error) {
    const isDeep = error instanceof RangeError;
    const problem = isDeep ? `nested deeper than ${maxDepth} levels` : `not JSON: ${error}`;
    faults.report("", `${file} is ${problem}; correct it`);
    return undefined;
  }
}

/** Checks a value and everything inside it. Returns false if it is nested too deep. */
function checkNode(node: Node, text: string, pointer: string, depth: number, faults: Faults): boolean {
  if (depth > maxDepth) {
    faults.report(pointer, `nested deeper than ${maxDepth} levels; move inner schemas into components/schemas`);
    return false;
  }
  if (node.type === "number") checkNumber(text.slice(node.offset, node.offset + node.length), pointer, faults);
  const inner = node.type === "object" ? members(node, pointer, faults) : (node.children ?? []);
  return inner
    .map((child, index) => {
      const [key, value] = child.type === "property" ? (child.children ?? []) : [undefined, child];
      return (
        value === undefined || checkNode(value, text, pointerBelow(pointer, key?.value ?? index), depth + 1, faults)
      );
    })
    .every((isRead) => isRead);
}

/** Returns the members of an object, and reports repeated keys. */
function members(node: Node, pointer: string, faults: Faults): readonly Node[] {
  const keys = new Set<string>();
  for (const { children: [key] = [] } of node.children ?? []) {
    if (keys.has(key?.value))
      faults.report(pointerBelow(pointer, key?.value), `the key "${key?.value}" is repeated; keep one of the two`);
    keys.add(key?.value);
  }
  return node.children ?? [];
}

function checkNumber(source: string, pointer: string, faults: Faults): void {
  if (digits(source) === digits(String(Number(source)))) return;
  faults.report(
    pointer,
    `the number ${source} has more digits than JavaScript keeps: it would become ${Number(source)}; write a number within ±${Number.MAX_SAFE_INTEGER}, or describe the value as a string`,
  );
}

/**
 * Returns the significant digits and the exponent of a number, equal for equal numbers: `1.50e3` and `1500` are `15e2`.
 */
function digits(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().replace(/^[+-]/, "").split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = (whole + fraction).replace(/^0+/, "");
  const significant = all.replace(/0+$/, "");
  return significant === ""
    ? "0"
    : `${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
}
