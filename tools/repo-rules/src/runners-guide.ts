import { read } from "./tree.ts";

export const runnersGuide = "docs/guides/test-runners.md";

/** Returns the code blocks below a heading of the guide, in one language. */
export function guideCode(heading: string, language: string): readonly string[] {
  const section = read(runnersGuide)
    .split(/^## /m)
    .find((one) => one.startsWith(`${heading}\n`));
  return [...(section ?? "").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, fence]) => fence === language)
    .map(([, , code = ""]) => code);
}
