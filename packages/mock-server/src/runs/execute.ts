import type { ColumnKind } from "@quern/query-run/record";
import { defaults } from "../generated/defaults.ts";
import { columnKinds, type Rows, resultSet } from "../results/result-set.ts";
import { seededRows } from "../results/seeded-rows.ts";
import type { MockQuery } from "../statement/query.ts";
import { type Outcome, thrownOutcome } from "./plan.ts";

/** Returns the rows of a statement, or throws an error whose name and message fail the run. */
export type Execute = (query: MockQuery) => Rows | Promise<Rows>;

/** Rows of the OpenRPC document's example. */
const exampleRows: Rows = exampleTable();

function exampleTable(): Rows {
  const { columnNames, columnTypes, columnEngineTypes, rows } = defaults.getQueryRunResults;
  const columns = (columnNames ?? []).map((name, at) => {
    const engineType = columnEngineTypes?.[at];
    return { name, type: columnKind(columnTypes?.[at]), ...(engineType !== undefined && { engineType }) };
  });
  return { columns, rows: (rows ?? []).filter((row) => Array.isArray(row)) };
}

function columnKind(type: string | undefined): ColumnKind {
  return columnKinds.find((kind) => kind === type) ?? "unknown";
}

/** Returns the outcome of a statement that no stub answers; not a promise if `execute` returns none. */
export function executed(execute: Execute, query: MockQuery): Outcome | Promise<Outcome> {
  const outcomeOf = (rows: Rows): Outcome => ({ result: resultSet(rows) });
  try {
    const rows = execute(query);
    return isPromise(rows) ? Promise.resolve(rows).then(outcomeOf).catch(thrownOutcome) : outcomeOf(rows);
  } catch (error) {
    return thrownOutcome(error);
  }
}

function isPromise(rows: Rows | Promise<Rows>): rows is Promise<Rows> {
  return "then" in Object(rows);
}

/** Default rows of statements that no stub answers: those of the OpenRPC document's example, or seeded ones. */
export function defaultRows(seed: number | undefined): Execute {
  return (query) => (seed === undefined ? exampleRows : seededRows(seed, query));
}
