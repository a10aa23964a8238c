import { expect, it } from "vitest";
import { commentFaults, commentsIn } from "../src/comments.ts";

/** Packages whose comments still break a rule. */
const TO_REWORD = ["adapter", "server"];

it("reads comments from the syntax tree, and lines that follow each other as one", () => {
  const source = [
    "/**",
    " * Returns a",
    " * place.",
    " */",
    'const place = "// no comment"; // trailing',
    "// Two lines",
    "// of one text.",
    "const page = <p>{/* inside */}// text</p>;",
  ].join("\n");
  expect(commentsIn("sample.tsx", source)).toEqual([
    { line: 1, text: "Returns a place." },
    { line: 5, text: "trailing" },
    { line: 6, text: "Two lines of one text." },
    { line: 8, text: "inside" },
  ]);
});

it("finds no comment that begins with What, Whether, Whoever, How, Those or Of, or says left out or whoever", () => {
  const faults = [...commentFaults()].filter(([name]) => !TO_REWORD.includes(name)).flatMap(([, faults]) => faults);
  expect(faults, "print them with `npm run comments`").toEqual([]);
});
