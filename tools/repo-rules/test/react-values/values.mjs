import { createClient, sql } from "@quern/client";

/** Values of DuckDB that JSON does not have, and -0, which `JSON.stringify` writes as 0. */
const statement = sql`select * from (values
  (${2n ** 63n - 1n}, ${new Date(0)}, 'NaN'::double, '-0.0'::double),
  (${-1}, ${new Date(1)}, '-inf'::double, ${1e-300})) as t (n, time, ratio, few) order by n desc`;
const rows = [
  { n: "9223372036854775807", time: "1970-01-01T00:00:00.000Z", ratio: "NaN", few: -0 },
  { n: -1, time: "1970-01-01T00:00:00.001Z", ratio: "-Infinity", few: 1e-300 },
];

const parse = ({ n, time, ratio, few }) => ({ n: BigInt(n), time: new Date(time), ratio: Number(ratio), few });
const schema = { "~standard": { version: 1, vendor: "test", validate: (row) => ({ value: parse(row) }) } };

const filter = { column: "few", gt: -0, neq: Number.NaN, in: [1e-300, Infinity, -Infinity, 2 ** 60] };
export const whole = { ...statement, maxAgeMinutes: 60 };
export const filtered = { ...whole, filters: [filter] };

/** Requests and their rows as the service sends them. */
export const plainViews = (given) => [
  { request: given.whole, rows },
  { request: given.filtered, rows: rows.slice(1) },
];

/** Requests with a schema and the rows that it makes. */
export const parsedViews = ({ whole }) => [{ request: { ...whole, schema }, rows: rows.map(parse) }];

const { QUERN_URL: url, QUERN_API_KEY: apiKey } = process.env;
export const createSender = () => createClient({ url, apiKey });

/** Creates a client with the same keys of queries, which sends nothing. */
export const createSilent = () =>
  createClient({
    url,
    fetch: () => {
      throw new Error("a request was sent");
    },
  });
