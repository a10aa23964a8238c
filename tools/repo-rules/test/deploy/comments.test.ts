import { expect, it } from "vitest";
import { deployExample } from "../../src/deploy-example.ts";
import { read } from "../../src/tree.ts";

/** Returns the settings of a file whose line does not come after a comment. */
function withoutComment(text: string, setting: RegExp): string[] {
  const lines = text.split("\n");
  return lines.filter((line, index) => setting.test(line) && !/^\s*# ./.test(lines[index - 1] ?? ""));
}

const variable = /^[A-Z][A-Z_]+=/;

it.each([
  ["kustomize/base/settings.env", variable],
  ["kustomize/production/settings.env", variable],
  ["compose.yaml", /^ {4}QUERN_\w+: /],
] as const)("%s explains each setting in the line before it", (file, setting) => {
  const text = read(`${deployExample}/${file}`);
  expect(text.split("\n").some((line) => setting.test(line))).toBe(true);
  expect(withoutComment(text, setting)).toEqual([]);
});
