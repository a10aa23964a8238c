import type { StatementFailure } from "@quern/adapter";
import type { Kind } from "./action.ts";

/** One of the two services to compare. */
export interface Side {
  readonly name: string;
  post(body: string): Promise<string>;
  /** Advances its clock. */
  advance(ms: number): unknown;
}

const values =
  "select * from (values ('USA', 254), ('Japan', 79), ('Europe', 73), ('Europe', 79)) as result(origin, cars)";
const statements: Readonly<Record<Kind, string>> = {
  cars: values,
  empty: `${values} where false`,
  fails: "select origin, cars from nowhere",
  held: "select max('a') as origin, count(*)::integer as cars from range(1000000000000)",
};

/** Returns a statement of a kind, unique to a sequence. */
export function sqlOf(kind: Kind, sequence: string): string {
  return `${statements[kind]} -- ${kind} ${sequence}`;
}

export function kindOf(sql: string): string | undefined {
  return / -- (\w+) \S+$/.exec(sql)?.[1];
}

/** Columns of the statements, on both sides. */
export const columns = [
  { name: "origin", kind: "string", engineType: "VARCHAR" },
  { name: "cars", kind: "number", engineType: "INTEGER" },
] as const;
export const rowsOfKind = {
  cars: [
    ["USA", 254],
    ["Japan", 79],
    ["Europe", 73],
    ["Europe", 79],
  ],
  empty: [],
} as const;
export const scriptedFailure: StatementFailure = {
  name: "BinderError",
  message: "It fails.",
  data: { category: "USER", engine: "test", retryable: false },
};
