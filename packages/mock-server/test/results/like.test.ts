import { describe, expect, it } from "vitest";
import { likeTest } from "../../src/results/like.ts";

describe("a pattern of LIKE", () => {
  it.each([
    ["a.b.c", "a.b.c", "a.bxc"],
    ["(1+1)*2 [x] {y} ^$|/\\?", "(1+1)*2 [x] {y} ^$|/\\?", "(1+1)*2"],
    ["%b%d%", "abcde", "adcbe"],
    ["_b_", "abc", "abcd"],
    ["a%", "a\nb", "ba"],
    ["_", "😀", "ab"],
    ["", "", "a"],
    ["%", "", undefined],
    ["a%a", "aa", "a"],
    ["%ab%b", "abb", "ab"],
    ["%_b_%", "abc", "bc"],
    ["_%_", "ab", "a"],
    ["%a%%", "a", ""],
    ["100\\%%", "100% of", "1000"],
    ["a\\_b", "a_b", "axb"],
    ["a\\\\b\\c", "a\\b\\c", "a\\\\b\\c"],
  ])("%j matches %j, not %j", (pattern, text, other) => {
    expect(likeTest(pattern)(text)).toBe(true);
    if (other !== undefined) expect(likeTest(pattern)(other)).toBe(false);
  });

  it("ignores the case of letters for ilike", () => {
    const texts = ["ÄRGER%", "ärger%", "Ärger", "\u{10428}%"];
    expect(texts.map(likeTest("är%\\%", true))).toEqual([true, true, false, false]);
    expect(likeTest("\u{10400}_", true)("\u{10428}%")).toBe(true);
  });

  it("is answered for texts of 20,000 characters that match almost", () => {
    const pattern = "%a".repeat(30);
    const text = "a".repeat(20_000);
    expect(likeTest(pattern)(text)).toBe(true);
    expect(likeTest(`${pattern}%b`)(text)).toBe(false);
    expect(likeTest(`${"%_a".repeat(30)}%b`)(`${text}c`)).toBe(false);
  });
});
