import { basename } from "node:path";

/** Words that no function can have as its name, and names that a generated file uses. */
const taken = new Set(
  [
    "await break case catch class const continue debugger default delete do else enum export extends false finally for",
    "function if implements import in instanceof interface let new null package private protected public return static",
    "super switch this throw true try typeof var void while with yield arguments eval undefined parameters",
  ].flatMap((line) => line.split(" ")),
);

/** Returns the name of the function for a file: `top-cars.sql` is `topCars`. */
export function functionName(file: string): string {
  const words = basename(file, ".sql").match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const [first = "query", ...rest] = words;
  const name = [first.slice(0, 1).toLowerCase() + first.slice(1), ...rest.map(capitalized)].join("");
  if (/^\p{N}/u.test(name)) return `query${name}`;
  return taken.has(name) ? `${name}Query` : name;
}

/** Returns the first part of the names of types: `topCars` is `TopCars`. */
export function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
