import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Flipside } from "@quern/client/flipside";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService } from "../src/service.ts";
import type { Subject } from "../src/subject.ts";

const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/old-clients.md"), "utf8");

/** Returns the cells of the table with this header; code without its quotes. */
function tableOf(header: string): readonly (readonly string[])[] {
  const [, rest = ""] = guide.split(`| ${header} |\n`);
  const [table = ""] = rest.split("\n\n");
  const rows = table.split("\n").slice(1);
  return rows
    .filter(Boolean)
    .map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").replace(/^`(.*)`$/, "$1")));
}

const refused = tableOf("Snowflake | Error | DuckDB");
const silent = tableOf("SQL | Snowflake | DuckDB | Write");
const same = [...(guide.match(/^These need no change: ([\s\S]*?)\n\n/m)?.[1]?.matchAll(/`([^`]+)`/g) ?? [])].map(
  ([, code = ""]) => code,
);

/** Returns the table of the guide's examples. */
const t = `with t as (select timestamp '2026-01-31 12:30:00' as ts, 'alba' as name, 2 as n, [10, 20] as list,
  '{"name": "inner", "owner": {"name": "Ada"}, "tags": ["x", "y"]}'::json as data)`;

let subject: Subject;
beforeAll(async () => {
  subject = await startService();
});
afterAll(() => subject?.[Symbol.asyncDispose]());

const whole = (code: string) => (code.startsWith("select") ? code : `select ${code} from t`);

async function run(sql: string) {
  const flipside = new Flipside(subject.apiKey, subject.url);
  const { error, rows } = await flipside.query.run({ sql: `${t}\n${sql}` });
  return { error: error?.name ?? null, message: error?.message ?? null, value: rows?.map((row) => row[0])[0] };
}

/** Runs them as one statement with a line each, because the message of an error names the line. */
const runAll = (codes: readonly string[]) =>
  run(`select ${codes.map((code) => `(select list(x) from (${whole(code)}) x)`).join(",\n")}`);

it("the guide has the tables and the list", () => {
  expect([refused.length > 40, silent.length > 5, same.length > 10]).toEqual([true, true, true]);
});

describe.concurrent("Snowflake's syntax that DuckDB refuses", () => {
  it.each(refused)("%s: %s", async (snowflake = "", error) => {
    expect(await run(whole(snowflake))).toMatchObject({ error });
  });
});

describe.concurrent("syntax of both that DuckDB evaluates differently", () => {
  it.each(silent)("%s", async (sql = "", snowflake = "", duckdb = "", write = "") => {
    const [given, wanted] = await Promise.all([run(whole(sql)), run(whole(write))]);
    expect(given).toMatchObject({ message: null, value: JSON.parse(duckdb) });
    expect(wanted).toMatchObject({ message: null, value: JSON.parse(snowflake) });
  });
});

it("the DuckDB forms run", async () => {
  expect(await runAll(refused.map(([, , duckdb = ""]) => duckdb))).toMatchObject({ message: null });
});

it("SQL that needs no change runs", async () => {
  expect(await runAll(same)).toMatchObject({ message: null });
});
