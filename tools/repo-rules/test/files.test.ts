import { describe, expect, it } from "vitest";
import config from "../../../vitest.config.ts";
import { read, sourceFiles } from "../src/tree.ts";

/** Biome warns of files with more than 300 lines. */
const MOST_LINES = 400;
const files = [...sourceFiles("packages"), ...sourceFiles("tools"), ...sourceFiles("examples")];

const allLines = files.flatMap((file) =>
  read(file)
    .split("\n")
    .map((line, index) => ({ line, file, at: `${file}:${index + 1}` })),
);
const testLines = allLines.filter(({ file }) => /\.test\.tsx?$/.test(file));

describe("hand-written files", () => {
  it("finds them", () => {
    expect(files.length).toBeGreaterThan(50);
  });

  it(`have at most ${MOST_LINES} lines`, () => {
    const long = files.map((file) => ({ file, lines: read(file).split("\n").length - 1 }));
    expect(long.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
  });

  it("begin no comment with What, Whether, Whoever, How, Those or Of", () => {
    const wrong = /^\s*\/\*\* (what|whether|whoever|how|those|of)\b/i;
    expect(allLines.filter(({ line }) => wrong.test(line)).map(({ at }) => at)).toEqual([]);
  });

  it("spread no object literal, whose members stand as well without it", () => {
    expect(allLines.filter(({ line }) => /\.\.\.\{ /.test(line)).map(({ at }) => at)).toEqual([]);
  });

  it("skip no test without a reason on the line", () => {
    const skipping = /\b(it|test|describe)\.(skip|todo|only|fails)\(|\.skipIf\(/;
    const reason = /\/\/ \w|the machine lacks/;
    expect(testLines.filter(({ line }) => skipping.test(line) && !reason.test(line)).map(({ at }) => at)).toEqual([]);
  });

  it("give a quick test more than 30 seconds only with a reason on the line", () => {
    expect(config({ mode: "test", command: "serve" }).test).toMatchObject({ testTimeout: 30_000, hookTimeout: 30_000 });
    const longer = testLines.filter(({ line, at }) => {
      const limit = /^\s*\}, ([\d_]+)\);/.exec(line)?.[1] ?? "0";
      return !at.includes(".long.test.") && Number(limit.replaceAll("_", "")) > 30_000 && !/\/\/ \w/.test(line);
    });
    expect(longer.map(({ at }) => at)).toEqual([]);
  });
});
