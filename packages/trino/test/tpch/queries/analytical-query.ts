/**
 * Question to the eight tables of TPC-H, as one text that Trino and DuckDB both execute.
 *
 * Some expressions have other types or values in one of the engines, so the texts avoid them:
 * - The quotient of two decimals is a decimal in Trino and a double in DuckDB; the average of decimals, too. The texts
 *   divide doubles, as both engines do by IEEE 754, and do not cast the quotient to a decimal: Trino rounds the exact
 *   value of the double, DuckDB its product with a power of ten.
 * - Sums of doubles depend on the order of the rows. The texts only sum integers and decimals.
 * - The quotient of two integers is an integer in Trino and a double in DuckDB.
 * - The level of `grouping` is an integer in Trino and a bigint in DuckDB. The texts cast it.
 * - A difference in months counts whole months in Trino and begins of months in DuckDB. The texts count days.
 * - A date that is truncated, or moved by an interval, is a timestamp in DuckDB. The texts cast it to a date.
 * Each text orders its rows totally, so that the order of the rows can be compared.
 */
export interface AnalyticalQuery {
  readonly question: string;
  readonly sql: string;
}
