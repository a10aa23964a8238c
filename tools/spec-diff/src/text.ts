import type { Change } from "./report.ts";

/** Returns a line for each change: level, pointer, direction and methods, rule, sentence. */
export function linesOf(changes: readonly Change[]): readonly string[] {
  return changes.map(({ level, pointer, document, direction, methods, rule, text }) => {
    const where = [direction, ...methods].join(" ");
    const place = `${document === "old" ? "old " : ""}#${pointer}`;
    return `${level.padEnd(5)}  ${place} (${where}) ${rule}: ${text}`;
  });
}

/** Returns the number of changes of each level, in one line. */
export function totalOf(changes: readonly Change[]): string {
  const count = (level: Change["level"]) => `${changes.filter((change) => change.level === level).length} ${level}`;
  return `${count("major")}, ${count("minor")}, ${count("patch")}`;
}
