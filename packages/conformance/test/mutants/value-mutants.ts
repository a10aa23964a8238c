import { cells, type Mutant, mutant, pages, params } from "./mutant.ts";

/** Faults of the values of rows. */
export const valueMutants: readonly Mutant[] = [
  mutant(
    "rounds 9007199254740993",
    "VALUE-001",
    cells((value) => (value === "9007199254740993" ? 9007199254740992 : value)),
  ),
  mutant(
    "leaves Z off timestamps",
    "VALUE-003",
    cells((value) => (typeof value === "string" ? value.replace(/(T[\d:.]+)Z$/, "$1") : value)),
  ),
  mutant(
    "returns NULL as an empty text",
    "VALUE-004",
    cells((value) => value ?? ""),
  ),
  mutant(
    "returns an empty text as NULL",
    "VALUE-004",
    cells((value) => (value === "" ? null : value)),
  ),
  mutant(
    "omits NULL from objects",
    "VALUE-004",
    pages(({ result, params }) => {
      if (params.format === "json")
        for (const row of result.rows) for (const name in row) row[name] ?? delete row[name];
    }),
  ),
  mutant(
    "returns booleans as 0 and 1",
    "VALUE-004",
    cells((value) => (typeof value === "boolean" ? Number(value) : value)),
  ),
  mutant(
    "returns decimals as doubles",
    "VALUE-002",
    cells((value) => (/^\d{15,}\.\d+$/.test(value) ? Number(value) : value)),
  ),
  mutant(
    "cuts the fraction off timestamps",
    "VALUE-003",
    cells((value) => (typeof value === "string" ? value.replace(/\.\d+Z$/, ".000Z") : value)),
  ),
  mutant(
    "returns dates as timestamps",
    "VALUE-003",
    cells((value) => (/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00.000Z` : value)),
  ),
  mutant(
    "trims texts",
    "VALUE-006",
    cells((value) => (typeof value === "string" ? value.trim() : value)),
  ),
  mutant(
    "returns text in Latin-1",
    "VALUE-006",
    cells((value) => (typeof value === "string" ? Buffer.from(value).toString("latin1") : value)),
  ),
  mutant(
    "returns texts of digits as numbers",
    "VALUE-006",
    cells((value) => (/^\d{1,4}$/.test(value) ? Number(value) : value)),
  ),
  mutant(
    "says that each column is text",
    "VALUE-001",
    pages(({ result }) => {
      result.columnTypes.fill("string");
    }),
  ),
  mutant(
    "loses columns with a repeated name",
    "VALUE-005",
    pages(({ result, params }) => {
      if (params.format === "json") for (const row of result.rows) delete row.n_2;
    }),
  ),
  mutant(
    "ignores parameters",
    "VALUE-007",
    params("createQueryRun", (given) => {
      if (given.parameters) for (const name in given.parameters) given.parameters[name] = null;
    }),
  ),
];
