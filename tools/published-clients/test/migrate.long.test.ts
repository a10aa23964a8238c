import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Flipside } from "@quern/client/flipside";
import { addToSource } from "@quern/server/sources";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oldStatements } from "../src/old-statements.ts";
import { loadProgramTables } from "../src/program-tables.ts";
import { startService } from "../src/service.ts";
import type { Subject } from "../src/subject.ts";

const root = join(import.meta.dirname, "../../..");
const guide = await readFile(join(root, "docs/guides/old-clients.md"), "utf8");

/** Returns the cells of the table of the guide with this header; code without its quotes. */
function tableOf(header: string): readonly (readonly string[])[] {
  const [table = ""] = (guide.split(`| ${header} |\n`)[1] ?? "").split("\n\n");
  const rows = table.split("\n").slice(1).filter(Boolean);
  return rows.map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").replace(/^`(.*)`$/, "$1")));
}

interface Checked {
  readonly file: string;
  readonly verdict: string;
  readonly refusal?: { readonly errorName: string; readonly line?: number };
  readonly differences: readonly { readonly rule: string }[];
  readonly rewrite?: {
    readonly sql: string;
    readonly by: string;
    readonly differences: readonly { readonly rule: string }[];
  };
}

let subject: Subject;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-migrate-"));
  subject = await startService({}, async (dataDir) => {
    await loadProgramTables(dataDir);
    // The table of the guide's examples.
    const from = join(folder, "t.jsonl");
    const data = { name: "inner", owner: { name: "Ada" }, tags: ["x", "y"] };
    await writeFile(from, JSON.stringify({ ts: "2026-01-31 12:30:00", name: "alba", n: 2, list: [10, 20], data }));
    const types = { ts: "TIMESTAMP", n: "INTEGER", list: "INTEGER[]", data: "JSON" };
    await addToSource({ dataDir, source: "chains" }, { from, as: "t", types });
  });
});
afterAll(async () => {
  await subject?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Checks each statement in a file of its own. */
async function check(statements: Readonly<Record<string, string>>, name: string) {
  const home = join(folder, name);
  await mkdir(home);
  for (const [file, sql] of Object.entries(statements)) await writeFile(join(home, `${file}.sql`), sql);
  const { url, apiKey } = subject;
  const env = { QUERN_URL: url, QUERN_API_KEY: apiKey };
  const words = [join(root, "packages/cli/bin/quern.js"), "migrate", "check", ".", "--json"];
  const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, words, { cwd: home, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
  expect(stderr).toBe("");
  const { statements: checked } = JSON.parse(stdout) as { statements: readonly Checked[] };
  return { code, found: new Map(checked.map((each) => [each.file.replace(/\.sql$/, ""), each])) };
}

async function rowsOf(sql: string) {
  const { error, rows } = await new Flipside(subject.apiKey, subject.url).query.run({ sql });
  return error?.message ?? rows;
}

/** Reads the first column of several statements in one run, in no order, because that of joined rows is not defined. */
async function sortedValues(sqls: readonly string[]) {
  const rows = await rowsOf(`select ${sqls.map((sql) => `(select list(x) from (${sql}) x)`).join(",\n")}`);
  if (!Array.isArray(rows)) throw new Error(rows ?? "no rows");
  return rows[0]?.map((list: readonly object[]) => list.map((row) => JSON.stringify(Object.values(row))).sort());
}

const rulesOf = (checked: Checked | undefined) => checked?.differences.map(({ rule }) => rule) ?? [];

it("statements of published programs and dashboards are sorted, and those that run or are rewritten return their rows", async () => {
  const sqls = Object.fromEntries(Object.entries(oldStatements).map(([name, { sql }]) => [name, sql]));
  const { code, found } = await check(sqls, "old");
  expect(code).toBe(1);
  const wanted = Object.entries(oldStatements).map(([name, { verdict, by, differences, errorName }]) => {
    const checked = found.get(name);
    const rewrite = checked?.rewrite;
    const rules = verdict === "rewrite" ? rewrite?.differences.map(({ rule }) => rule) : rulesOf(checked);
    return {
      given: {
        name,
        verdict: checked?.verdict,
        by: rewrite?.by,
        rules: rules?.toSorted(),
        error: checked?.refusal?.errorName,
      },
      want: {
        name,
        verdict,
        by: verdict === "rewrite" ? (by ?? "rules") : rewrite?.by,
        rules: verdict === "rewrite" || verdict === "may-differ" ? (differences ?? rules?.toSorted()) : (rules ?? []),
        error: errorName ?? checked?.refusal?.errorName,
      },
    };
  });
  expect(wanted.map(({ given }) => given)).toEqual(wanted.map(({ want }) => want));
  const withRows = Object.entries(oldStatements).filter(([, { rows }]) => rows !== undefined);
  const given = withRows.map(async ([name, { sql }]) => [name, await rowsOf(found.get(name)?.rewrite?.sql ?? sql)]);
  expect(Object.fromEntries(await Promise.all(given))).toEqual(
    Object.fromEntries(withRows.map(([name, { rows }]) => [name, rows])),
  );
});

it("the statements of the guide are sorted as it says, and a rewrite has the value that it promises", async () => {
  const whole = (code: string) => (code.startsWith("select") ? code : `select ${code} from t`);
  const refused = tableOf("Snowflake | Error | DuckDB");
  const silent = tableOf("SQL | Snowflake | DuckDB | Write");
  const same = [...(guide.match(/^These need no change: ([\s\S]*?)\n\n/m)?.[1]?.matchAll(/`([^`]+)`/g) ?? [])];
  expect([refused.length > 40, silent.length > 20, same.length > 10]).toEqual([true, true, true]);
  const named = (prefix: string, codes: readonly (string | undefined)[]) =>
    Object.fromEntries(codes.map((code = "", at) => [`${prefix}${at}`, whole(code)]));
  const { found } = await check(
    {
      ...named(
        "refused",
        refused.map(([sql]) => sql),
      ),
      ...named(
        "silent",
        silent.map(([sql]) => sql),
      ),
      ...named(
        "same",
        same.map(([, sql]) => sql),
      ),
    },
    "guide",
  );
  const firstValue = async (sql: string) => {
    const rows = await rowsOf(sql);
    return Array.isArray(rows) ? rows[0]?.[0] : rows;
  };
  const isNow = (sql: string) => /sysdate|getdate|current_timestamp/.test(sql);
  const verdictsOf = refused.map(([sql = ""], at) => [sql, found.get(`refused${at}`)?.verdict]);
  // The service can bind a text that it cannot convert.
  expect(verdictsOf).toEqual(
    refused.map(([sql = ""]) => [sql, sql.startsWith("to_timestamp('") ? "may-differ" : "rewrite"]),
  );
  const stable = refused.map(([sql = "", , duckdb = ""], at) => ({
    sql,
    rewritten: found.get(`refused${at}`)?.rewrite?.sql ?? "",
    wanted: whole(duckdb),
  }));
  const compared = stable.filter(({ sql }) => !isNow(sql));
  expect(await sortedValues(compared.map(({ rewritten }) => rewritten))).toEqual(
    await sortedValues(compared.map(({ wanted }) => wanted)),
  );
  for (const [at, [sql = "", snowflake = ""]] of silent.entries()) {
    const checked = found.get(`silent${at}`);
    expect([sql, checked?.verdict]).toEqual([sql, "may-differ"]);
    if (checked?.rewrite === undefined)
      expect([sql, rulesOf(checked)[0]]).toEqual([
        sql,
        expect.stringMatching(/^(json-key|list-index|number-to-timestamp|timestamp-text)$/),
      ]);
    else expect([sql, await firstValue(checked.rewrite.sql)]).toEqual([sql, JSON.parse(snowflake)]);
  }
  for (const [at, [, sql = ""]] of same.entries()) {
    const isSorted = sql.includes(" desc");
    expect([sql, found.get(`same${at}`)?.verdict]).toEqual([sql, isSorted ? "may-differ" : "runs"]);
  }
});
