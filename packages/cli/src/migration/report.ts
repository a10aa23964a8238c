import { printableLines } from "../output/terminal.ts";
import type { Refusal, StatementCheck, Verdict } from "./check-statement.ts";
import type { Difference } from "./differences.ts";
import { lineDiff } from "./line-diff.ts";
import type { OldStatement } from "./old-files.ts";

/** Checked statement, and its file. */
export interface CheckedStatement extends StatementCheck {
  readonly file: string;
  readonly statement: OldStatement;
}

export const verdictTexts: Readonly<Record<Verdict, string>> = {
  runs: "runs",
  "may-differ": "may differ silently",
  rewrite: "rewrite proposed",
  "by-hand": "by hand",
};

/** Formats a statement as a line with its place and verdict, and the reasons and the changed lines below it. */
export function statementText({ file, statement, verdict, refusal, differences, rewrite }: CheckedStatement): string {
  const lineOf = (line: number) => statement.firstLine + line - 1;
  const details = [
    ...(refusal === undefined ? [] : [refusalText(refusal, lineOf)]),
    ...differences.map((difference) => differenceText(difference, lineOf)),
    ...(rewrite === undefined ? [] : lineDiff(statement.sql, rewrite.sql)),
    ...(rewrite?.by === "transpiler" ? ["written by the transpiler: compare its result"] : []),
    ...(rewrite !== undefined && refusal !== undefined
      ? rewrite.differences.map(({ text }) => `may differ silently: ${text}`)
      : []),
  ];
  const lines = [`${file}:${statement.line}  ${verdictTexts[verdict]}`, ...details.map((line) => `    ${line}`)];
  return printableLines(`${lines.join("\n")}\n`);
}

function differenceText({ line, text }: Difference, lineOf: (line: number) => number): string {
  return `line ${lineOf(line)}: ${text}`;
}

function refusalText(
  { errorName, message, line, column, candidates }: Refusal,
  lineOf: (line: number) => number,
): string {
  const place = line === undefined ? "" : `line ${lineOf(line)}${column === undefined ? "" : `, column ${column}`}: `;
  if (candidates === undefined || candidates.length === 0)
    return `${place}${errorName}: ${message.replace(/\s*\n\s*/g, " ")}`;
  const [first = ""] = message.split("\n");
  return `${place}${errorName}: ${first.replace(/[!.]$/, "")}; did you mean ${candidates.join(", ")}?`;
}

/** Converts a statement to the object that `--json` prints. Lines are those of the file. */
export function statementJson({ file, statement, refusal, differences, rewrite, verdict }: CheckedStatement) {
  const { firstLine, line } = statement;
  const inFile = (each: Difference) => ({ ...each, line: firstLine + each.line - 1 });
  return {
    file,
    line,
    verdict,
    ...(refusal && { refusal: { ...refusal, ...(refusal.line && { line: firstLine + refusal.line - 1 }) } }),
    differences: differences.map(inFile),
    ...(rewrite && {
      rewrite: { ...rewrite, differences: rewrite.differences.map(({ rule, text }) => ({ rule, text })) },
    }),
  };
}
