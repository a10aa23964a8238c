/**
 * Returns the milliseconds since some fixed time. Node takes milliseconds to load `performance`, which a short query does not
 * need otherwise.
 */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
