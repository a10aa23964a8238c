import { describe, expect, it } from "vitest";
import { likePattern } from "../../src/results/view.ts";

describe("a pattern of LIKE", () => {
  it.each([
    ["a.b.c", "a.b.c", "a.bxc"],
    ["(1+1)*2 [x] {y} ^$|/\\?", "(1+1)*2 [x] {y} ^$|/\\?", "(1+1)*2"],
    ["%b%d%", "abcde", "adcbe"],
    ["_b_", "abc", "abcd"],
    ["a%", "a\nb", "ba"],
    ["_", "😀", "ab"],
  ])("%j matches %j, not %j", (pattern, text, other) => {
    expect(likePattern(pattern).test(text)).toBe(true);
    expect(likePattern(pattern).test(other)).toBe(false);
  });
});
