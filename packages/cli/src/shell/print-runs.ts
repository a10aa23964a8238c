import type { QueryRun } from "@quern/client";
import { terminalColumns } from "../output/terminal.ts";
import { textWidth } from "../output/text-width.ts";
import { oneLine, runRow } from "../run/row.ts";
import type { Session } from "./session.ts";
import { printTable } from "./shell-output.ts";
import type { Work } from "./work.ts";

/** Columns beside the SQL, the best ones first: an id is of use only if it is whole. */
const layouts = [
  ["id", "age", "state", "seconds", "rows"],
  ["id", "age", "state", "seconds"],
  ["id", "age", "state"],
  ["age", "state", "seconds", "rows"],
  ["age", "state", "seconds"],
  ["age", "state"],
  ["state"],
] as const;

const gapColumns = 2;

/** Prints runs with their SQL, which has at least half of the terminal. */
export async function printRuns(
  session: Session,
  work: Work,
  runs: readonly QueryRun[],
  sqlOf: (run: QueryRun) => string,
): Promise<void> {
  const now = Date.now();
  const rows = runs.map((run) => {
    const { id, state, elapsed_seconds: elapsed, rows: count } = runRow(run);
    const seconds = elapsed < 100 ? elapsed : Math.round(elapsed);
    const sql = oneLine(sqlOf(run));
    return { id, age: ageText(now - Date.parse(run.createdAt)), state, seconds, rows: count, sql };
  });
  const widthOf = (name: (typeof layouts)[0][number]) =>
    Math.max(name.length, ...rows.map((row) => textWidth(String(row[name] ?? "NULL")))) + gapColumns;
  const half = (terminalColumns(session.process.stdout, session.process.env) ?? Infinity) / 2;
  const fits = (layout: (typeof layouts)[number]) => layout.reduce((sum, name) => sum + widthOf(name), 0) <= half;
  const layout = layouts.find(fits) ?? [];
  await printTable(session, work, [...layout, "sql"], rows, { full: "\\runs full" });
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** Returns the time since a run was created, in its largest unit. */
function ageText(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms >= each) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}
