/** Statement of the test, and the rows or the failure that it must have. */
export interface TestStatement {
  readonly sql: string;
  readonly rows: readonly (readonly number[])[];
  /** Text of the failure of the statement; undefined if it succeeds. */
  readonly failure: string | undefined;
}

/** Rows that take a moment to compute, so that kills interrupt executions. */
const work = "(select count(*) from range(20000000) where hash(range) = 1)";

/** Returns one of many different statements. Each sixth one fails, after some rows. */
export function statementOf(number: number): TestStatement {
  const count = 1 + ((number * 37) % 1_500);
  if (number % 6 === 5) {
    const failure = `statement ${number} fails by its own SQL`;
    const value = `case when range < ${count} then range + ${work} else error('${failure}') end`;
    return { sql: `select ${value} as n from range(${count + 1})`, rows: [], failure };
  }
  return {
    sql: `select range as n, range * ${number} + ${work} as product from range(${count})`,
    rows: Array.from({ length: count }, (_, n) => [n, n * number]),
    failure: undefined,
  };
}
