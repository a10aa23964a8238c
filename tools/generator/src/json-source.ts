import { type Node, parseTree } from "jsonc-parser";
import type { Faults } from "./faults.ts";
import { pointerBelow } from "./pointer.ts";

/**
 * The value of a JSON text, or undefined where it is not JSON. Reports what `JSON.parse` loses silently: repeated keys,
 * and digits of numbers.
 */
export function parseSource(text: string, file: string, faults: Faults): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const tree = parseTree(text);
    if (tree !== undefined) checkNode(tree, "", faults);
    return value;
  } catch (error) {
    faults.report("", `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }

  function checkNode(node: Node, pointer: string, into: Faults): void {
    if (node.type === "number") checkNumber(text.slice(node.offset, node.offset + node.length), pointer, into);
    if (node.type === "array")
      for (const [index, item] of (node.children ?? []).entries()) checkNode(item, pointerBelow(pointer, index), into);
    if (node.type !== "object") return;
    const keys = new Set<string>();
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (key === undefined || value === undefined) continue;
      const below = pointerBelow(pointer, key.value);
      if (keys.has(key.value)) into.report(below, `the key "${key.value}" is repeated; keep one of the two`);
      keys.add(key.value);
      checkNode(value, below, into);
    }
  }
}

function checkNumber(source: string, pointer: string, faults: Faults): void {
  if (digits(source) === digits(String(Number(source)))) return;
  faults.report(
    pointer,
    `the number ${source} has more digits than JavaScript keeps: it would become ${Number(source)}; write a number within ±${Number.MAX_SAFE_INTEGER}, or describe the value as a string`,
  );
}

/** The significant digits of a number and their exponent, equal for equal numbers: `1.50e3` and `1500` are `15e2`. */
function digits(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().replace(/^[+-]/, "").split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = (whole + fraction).replace(/^0+/, "");
  const significant = all.replace(/0+$/, "");
  return significant === ""
    ? "0"
    : `${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
}
