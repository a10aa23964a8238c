import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, getQueryRunResults, query } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, start } from "../../src/service.ts";
import { type Engine, exactJson, type Form, type Forms, forms, jsonRpc, openEngine, readForms } from "./forms.ts";
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

const cases = groups.flatMap((group, at) => group.map((sample, index) => ({ ...sample, sample, at, index })));

describe.each(cases)("$type: $sql", ({ sample, at, index }) => {
  const of = () => read[at] as Forms;

  it("is of this type and kind, and has this text in the engine", async () => {
    const [[type, text] = []] = await engine(`SELECT typeof(v), CAST(v AS VARCHAR) FROM (SELECT ${sample.sql} AS v)`);
    expect(text).toBe(sample.text);
    // The engine does not quote member names that need no quotes, and names the columns of row values by position.
    if (!sample.type.includes('"')) expect(type).toBe(sample.type);
    const { kinds, engineTypes, runEngineTypes } = of();
    expect([kinds[index], engineTypes[index], runEngineTypes?.[index]]).toEqual([
      sample.kind,
      sample.type,
      sample.type,
    ]);
  });

  it("is of this type in Parquet and in Arrow", () => {
    expect(of().parquetTypes[index]).toBe(sample.parquet);
    expect(of().arrowTypes[index]).toBe(sample.arrow);
  });

  it.each(forms)("%s", async (form) => {
    const [values, nulls] = of().cells[form];
    expect(values?.[index]).toBe(await textIn(form, sample));
    expect(nulls?.[index]).toBe(null);
  });
});

/** Returns the columns of a stubbed statement that a filter matches in the mock server, which has the rows of a page. */
async function mockOf({ cells }: Forms) {
  const mock = createMockServer();
  const [values = [], nulls = []] = cells["CSV page"].map((row) => row.map((text) => JSON.parse(text ?? "null")));
  mock.when("samples").rows({ columns: values.map((_, index) => `c${index}`), rows: [values, nulls] });
  const client = createClient(mock);
  const { queryRunId } = await query(client, { sql: "samples" });
  return async (column: string, like: string) =>
    (await getQueryRunResults(client, { queryRunId, filters: [{ column, like }] })).rows?.length;
}

describe("a filter with like", () => {
  let mocks: readonly ((column: string, like: string) => Promise<number | undefined>)[];
  beforeAll(async () => {
    mocks = await Promise.all(read.map(mockOf));
  });

  it.each(cases)("compares with the text of a page, as in the mock server, of $type: $sql", async (each) => {
    const { queryRunId, cells } = read[each.at] as Forms;
    const column = `c${each.index}`;
    const matched = async (like: string) =>
      (await jsonRpc(service.url, "getQueryRunResults", { queryRunId, filters: [{ column, like }] })).rows.length;
    const json = cells["CSV page"][0]?.[each.index] ?? "";
    const text = textOfJson(json);
    expect(await matched(text)).toBe(1);
    expect(await matched(`_${text.slice(1)}`)).toBe(text === "" ? 0 : 1);
    expect(await matched(`${text}.`)).toBe(0);
    expect(await mocks[each.at]?.(column, textOfJson(JSON.stringify(JSON.parse(json))))).toBe(1);
    expect(await mocks[each.at]?.(column, `${text}.`)).toBe(0);
  });
});

/** Returns the text of a JSON value: a string without quotes. */
const textOfJson = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json);

const notFinite: Readonly<Record<string, string>> = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" };

it.each(samples.filter(({ kind }) => kind === "number"))("$type has the digits of the engine: $text", (sample) => {
  expect(plainOf(sample)).toBe(notFinite[sample.text] ?? sample.text);
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
