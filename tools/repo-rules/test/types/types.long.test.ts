import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, getQueryRunResults, query } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arrowFileOf } from "../../../../packages/cli/src/result/arrow-file.ts";
import { useLoader } from "../../../../packages/duckdb/test/loading/loaded-files.ts";
import { API_KEY, type Service, start } from "../../src/service.ts";
import {
  download,
  type Engine,
  exactJson,
  type Form,
  type Forms,
  forms,
  jsonRpc,
  openEngine,
  readForms,
} from "./forms.ts";
import { jsonOf, plainOf, type Sample } from "./sample.ts";
import { samples, typesWithoutColumns } from "./samples.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-types-"));
const groups = [samples.filter(({ tooWide }) => !tooWide), samples.filter(({ tooWide }) => tooWide)] as const;
let service: Service;
let engine: Engine;
let read: readonly Forms[];
beforeAll(async () => {
  service = await start("serve", "--data-dir", join(folder, "data"));
  engine = await openEngine();
  read = [await readForms(service, groups[0], engine, folder), await readForms(service, groups[1], engine, folder)];
}, 120_000); // runs the command line once for each format of each group
afterAll(() => service?.stop());

const cases = groups.flatMap((group, at) => group.map((sample, index) => ({ sample, at, index })));

describe("a value of each type", () => {
  it("is of this type and kind, and has this text in the engine", async () => {
    const actual = [];
    const expected = [];
    for (const { sample, at, index } of cases) {
      const [[type, text] = []] = await engine(`SELECT typeof(v), CAST(v AS VARCHAR) FROM (SELECT ${sample.sql} AS v)`);
      const { kinds, engineTypes, runEngineTypes } = read[at] as Forms;
      // The engine does not quote member names that need no quotes, and names the columns of row values by position.
      const engineType = sample.type.includes('"') ? sample.type : type;
      actual.push([sample.sql, text, engineType, kinds[index], engineTypes[index], runEngineTypes?.[index]]);
      expected.push([sample.sql, sample.text, sample.type, sample.kind, sample.type, sample.type]);
    }
    expect(actual).toEqual(expected);
  });

  it("is of this type in Parquet and in Arrow", () => {
    const typesOf = ({ parquetTypes, arrowTypes }: Forms, index: number) => [parquetTypes[index], arrowTypes[index]];
    expect(cases.map(({ sample, at, index }) => [sample.sql, ...typesOf(read[at] as Forms, index)])).toEqual(
      cases.map(({ sample: { sql, parquet, arrow } }) => [sql, parquet, arrow]),
    );
  });

  it.each(forms)("has its text, and NULL has none: %s", async (form) => {
    const cellsOf = (at: number, index: number) => read[at]?.cells[form].map((row) => row[index]);
    const texts = await Promise.all(cases.map(({ sample }) => textIn(form, sample)));
    expect(cases.map(({ sample: { sql }, at, index }) => [sql, cellsOf(at, index)])).toEqual(
      cases.map(({ sample: { sql } }, index) => [sql, [texts[index], null]]),
    );
  });
});

interface Like {
  readonly column: string;
  readonly like: string;
}

/** Most filters that a request may have. */
const maxFilters = 64;

/** Returns the filters that match no row. A row must meet all filters of a request, so few requests show that all match. */
async function unmatched(filters: readonly Like[], count: (filters: readonly Like[]) => Promise<number | undefined>) {
  const failed: Like[] = [];
  for (let from = 0; from < filters.length; from += maxFilters) {
    const part = filters.slice(from, from + maxFilters);
    if ((await count(part)) === 1) continue;
    for (const filter of part) if ((await count([filter])) !== 1) failed.push(filter);
  }
  return failed;
}

/** Stubs a statement in the mock server with the rows of a page, and returns a function that counts its matching rows. */
async function inMock({ cells }: Forms) {
  const mock = createMockServer();
  const [values = [], nulls = []] = cells["CSV page"].map((row) => row.map((text) => JSON.parse(text ?? "null")));
  mock.when("samples").rows({ columns: values.map((_, index) => `c${index}`), rows: [values, nulls] });
  const client = createClient(mock);
  const { queryRunId } = await query(client, { sql: "samples" });
  return async (filters: readonly Like[]) => (await getQueryRunResults(client, { queryRunId, filters })).rows?.length;
}

describe.each([0, 1] as const)("a filter with like on group %i", (at) => {
  const group = groups[at];
  const filtersOf = (textOf: (json: string) => string) =>
    group.map((_, index) => ({
      column: `c${index}`,
      like: textOf(read[at]?.cells["CSV page"][0]?.[index] ?? ""),
    }));
  const without = (filters: readonly Like[], like: string) => filters.filter((each) => each.like !== like);

  it("compares with the text of a page", async () => {
    const { queryRunId } = read[at] as Forms;
    const count = async (filters: readonly Like[]): Promise<number> =>
      (await jsonRpc(service.url, "getQueryRunResults", { queryRunId, filters })).rows.length;
    expect(await unmatched(filtersOf(textOfJson), count)).toEqual([]);
    const anyFirst = filtersOf((json) => `_${textOfJson(json).slice(1)}`);
    expect(await unmatched(without(anyFirst, "_"), count)).toEqual([]);
    // Each of these requests must have a single filter, so one value of a kind stands for all.
    const longer = filtersOf((json) => `${textOfJson(json)}.`);
    const firsts = longer.filter((_, index) => group.findIndex(({ kind }) => kind === group[index]?.kind) === index);
    for (const filter of firsts) expect([filter, await count([filter])]).toEqual([filter, 0]);
  }, 60_000); // filtered pages have a low priority, so other workers delay them

  it("matches the same in the mock server", async () => {
    const count = await inMock(read[at] as Forms);
    expect(
      await unmatched(
        filtersOf((json) => textOfJson(JSON.stringify(JSON.parse(json)))),
        count,
      ),
    ).toEqual([]);
    for (const filter of filtersOf((json) => `${textOfJson(json)}.`))
      expect([filter, await count([filter])]).toEqual([filter, 0]);
  });
});

/** Returns the text of a JSON value: a string without quotes. */
const textOfJson = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json);

describe("a result that is loaded again", () => {
  const { loaded } = useLoader();
  const asFile = async (stream: Buffer): Promise<Buffer> => {
    async function* bytes() {
      yield stream;
    }
    return Buffer.concat(await Array.fromAsync(arrowFileOf(bytes())));
  };
  /** Arrow has arrays of fixed length, and text for what it has no type for. */
  const inArrow = ({ type, parquet }: Sample): string =>
    /\[\d+\]$/.test(type) ? type : parquet.replaceAll(/\b(UUID|JSON)\b/g, "VARCHAR");

  it.each<[string, (forms: Forms) => Buffer | Promise<Buffer>, (sample: Sample) => string]>([
    ["result.parquet", ({ downloads }) => downloads.parquet, ({ parquet }) => parquet],
    ["result.arrows", ({ downloads }) => downloads.arrow, inArrow],
    ["result.arrow", ({ downloads }) => asFile(downloads.arrow), inArrow],
  ])("from %s has each value, in the type of the file", async (name, fileOf, typeOf) => {
    for (const [at, group] of groups.entries()) {
      const { read: rowsOf } = await loaded({ [name]: await fileOf(read[at] as Forms) });
      const cells = group.map((_, index) => `c${index}::VARCHAR`);
      const [values = [], nulls = []] = await rowsOf(`SELECT ${cells.join(", ")} FROM t`);
      const types = (await rowsOf("SELECT column_type FROM (DESCRIBE t)")).flat();
      expect(group.map(({ sql }, index) => [sql, types[index], values[index], nulls[index]])).toEqual(
        group.map((sample) => [sample.sql, typeOf(sample), sample.parquetText ?? sample.text, null]),
      );
    }
  });

  it("from NDJSON of 240 columns with nested values has each value", async () => {
    const columns = Array.from({ length: 240 }, (_, index) => {
      const n = `(i * ${index + 1})`;
      const value = [
        n,
        `'t' || ${n}`,
        `[${n}, NULL]`,
        `{'a': ${n}, 'b': [{'c': 'x' || ${n}}]}`,
        `${n} + 0.5`,
        "NULL::INT",
      ];
      return `CASE WHEN i > 0 THEN ${value[index % 6]} END AS c${index}`;
    });
    const sql = `SELECT ${columns.join(", ")} FROM range(40) AS t(i)`;
    const { queryRunId } = await query(createClient({ url: service.url, apiKey: API_KEY }), { sql });
    const { read: rowsOf } = await loaded({ "result.ndjson": await download(service.url, queryRunId, "ndjson") });
    expect(await rowsOf(`(FROM t EXCEPT ALL (${sql})) UNION ALL ((${sql}) EXCEPT ALL FROM t)`)).toEqual([]);
    expect(await rowsOf("SELECT count(*) FROM t")).toEqual([["40"]]);
  });
});

const notFinite: Readonly<Record<string, string>> = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" };

it("numbers have the digits of the engine", () => {
  const numbers = samples.filter(({ kind }) => kind === "number");
  expect(numbers.map(plainOf)).toEqual(numbers.map(({ text }) => notFinite[text] ?? text));
});

it("has every type of the engine", async () => {
  const types = await engine("SELECT DISTINCT logical_type FROM duckdb_types() WHERE database_name = 'system'");
  const nestedTypes: Readonly<Record<string, RegExp>> = { LIST: /\[\]$/, ARRAY: /\[\d+\]$/ };
  const isCovered = (name: string) =>
    name in typesWithoutColumns ||
    samples.some(({ type }) => (nestedTypes[name] ?? new RegExp(`^${name}(?:\\(|$)`)).test(type));
  expect(types.map(([name]) => name ?? "").filter((name) => !isCovered(name))).toEqual([]);
});

async function textIn(form: Form, sample: Sample): Promise<string> {
  switch (form) {
    case "JSON page":
    case "CSV page":
    case "NDJSON":
      return JSON.stringify(exactJson(jsonOf(sample)));
    case "CSV":
    case "terminal":
    case "terminal CSV":
      return plainOf(sample);
    case "Parquet":
      return sample.parquetText ?? sample.text;
    case "Arrow":
      return sample.arrowText ?? arrowTextOf(sample);
  }
}

/** Returns the engine's own count since the epoch for dates and times, else its text. */
async function arrowTextOf({ arrow, sql, text }: Sample): Promise<string> {
  if (arrow === "Float32") return String(Math.fround(Number(notFinite[text] ?? text)));
  if (arrow === "Float64") return String(Number(notFinite[text] ?? text));
  const count = Object.entries(counts).find(([start]) => arrow.startsWith(start))?.[1];
  if (count === undefined) return text;
  const [[ticks] = []] = await engine(`SELECT ${count} FROM (SELECT ${sql} AS v)`);
  return ticks ?? "no count";
}

const counts: Readonly<Record<string, string>> = {
  Date32: "date_diff('day', DATE '1970-01-01', v)",
  "Timestamp<MICRO": "epoch_us(v)",
  "Timestamp<NANO": "epoch_ns(v)",
  "Time64<MICRO": "epoch_us(v)",
};
