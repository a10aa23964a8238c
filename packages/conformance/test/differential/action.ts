import fc from "fast-check";

/** Kinds of statements. `held` runs until it is canceled. */
const kinds = ["cars", "empty", "fails", "held"] as const;
export type Kind = (typeof kinds)[number];

/** One step of a caller. `of` is the index of an earlier request, modulo their number plus one; the last is an unknown id. */
export type Action =
  | {
      readonly do: "create";
      readonly kind: Kind;
      readonly maxAgeMinutes: number;
      readonly resultTTLHours: number;
      readonly key: number | null;
      readonly tag: string | null;
      readonly parameter: number | null;
    }
  | { readonly do: "poll" | "statement"; readonly of: number }
  | { readonly do: "cancel"; readonly of: number; readonly request: number | null }
  | { readonly do: "download"; readonly of: number; readonly format: string }
  | { readonly do: "describe"; readonly kind: Kind }
  | { readonly do: "advance"; readonly seconds: number }
  | {
      readonly do: "list";
      readonly states: readonly string[] | null;
      readonly tag: string | null;
      readonly limit: number;
      readonly more: boolean;
    }
  | {
      readonly do: "results";
      readonly of: number;
      readonly format: string;
      readonly page: { readonly number: number; readonly size: number };
      readonly sortBy: readonly { readonly column: string; readonly direction: string }[];
      readonly filters: readonly Readonly<Record<string, unknown>>[];
    };

const of = fc.nat(40);
const tag = fc.option(fc.constantFrom("a", "b"));
const column = fc.constantFrom("origin", "origin", "cars", "cars", "CARS", "none");
const value = fc.constantFrom<unknown[]>("USA", "Europe", 79, 254, 80.5, -1);
const values = fc.array(value, { minLength: 1, maxLength: 2 });
const comparison = fc.oneof(
  ...["eq", "neq", "gt", "gte", "lt", "lte"].map((name) => value.map((other) => ({ [name]: other }))),
  ...["in", "in_", "notIn"].map((name) => values.map((others) => ({ [name]: others }))),
  fc.constantFrom("%a%", "USA", "_apan", "%").map((like) => ({ like })),
);
// Compares strings with strings and numbers with numbers: the contract leaves other comparisons to the engine.
const isOfItsColumn = (filter: Readonly<Record<string, unknown>>): boolean => {
  const { column: name, ...rest } = filter;
  const isText = Object.values(rest)
    .flat()
    .every((one) => typeof one === "string");
  const isNumber = Object.values(rest)
    .flat()
    .every((one) => typeof one === "number");
  return name === "none" || (name === "origin" ? isText : isNumber);
};
const filter = fc
  .tuple(column, comparison)
  .map(([name, rest]) => ({ column: name, ...rest }))
  .filter(isOfItsColumn);

const group = fc.array(filter, { minLength: 1, maxLength: 3 }).map((or) => ({ or }));

/** Generates sequences of calls and of passing time. */
export const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("create" as const),
        kind: fc.constantFrom<Kind[]>("cars", "cars", "cars", "empty", "fails", "held"),
        maxAgeMinutes: fc.constantFrom(0, 0, 0, 1, 5, 60, 100_000),
        resultTTLHours: fc.constantFrom(0, 1, 2),
        key: fc.option(fc.nat(2), { freq: 2 }),
        tag,
        parameter: fc.option(fc.nat(1), { freq: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("poll" as const, "statement" as const), of }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), of, request: fc.option(fc.nat(40)) }) },
    fc.record({ do: fc.constant("download" as const), of, format: fc.constantFrom("csv", "parquet", "xml") }),
    fc.record({ do: fc.constant("describe" as const), kind: fc.constantFrom(...kinds) }),
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("advance" as const),
        // Mostly short, so that results have not expired.
        seconds: fc.constantFrom(1, 1, 1, 1, 59, 60, 60, 300, 300, 3599, 3600, 7200),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("list" as const),
        states: fc.option(
          fc.subarray(["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED", "QUERY_STATE_RUNNING"]),
        ),
        tag,
        limit: fc.integer({ min: 1, max: 4 }),
        more: fc.boolean(),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("results" as const),
        of,
        format: fc.constantFrom("csv", "json", "xml"),
        page: fc.record({ number: fc.integer({ min: 1, max: 3 }), size: fc.constantFrom(0, 1, 2, 3, 10, 10) }),
        sortBy: fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          fc.array(fc.record({ column, direction: fc.constantFrom("asc", "desc") }), { maxLength: 2 }),
        ),
        filters: fc.oneof(fc.constant([]), fc.array(fc.oneof(filter, filter, group), { maxLength: 2 })),
      }),
    },
  ),
  { minLength: 1, maxLength: 60, size: "max" },
);
