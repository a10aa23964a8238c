import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createClient, query, rowsOf, wholeResultOf } from "@quern/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { binary, firstLine, spawnQuern } from "../quern.ts";

/** Statements by the names of their functions, with their parameters, if they have some. */
const statements: readonly (readonly [name: string, sql: string, parameters?: string])[] = [
  ["integers", "select 1::tinyint a, 2::usmallint b, 3 c, 4::uinteger d"],
  [
    "longIntegers",
    "select n::bigint a, n::ubigint b, n::hugeint c, n::uhugeint d from (values (1), (9007199254740993)) t(n)",
  ],
  [
    "hugeIntegers",
    "select (-170141183460469231731687303715884105727)::hugeint a, '1234567890123456789012345678901234567890'::bignum b",
  ],
  ["decimals", "select 1.10::decimal(5, 2) a, 12345678901234567.80::decimal(20, 2) b, 1e-18::decimal(38, 18) c"],
  [
    "doubles",
    "select x::double a, x::float b from (values ('1.5'), ('nan'), ('-inf'), ('1e300'), ('-0.0')) t(x) where x <> '1e300'",
  ],
  ["texts", "select 'a, \"b\"' a, '' b, uuid() c, '\\x00'::blob d, '0101'::bit e, interval '1 day' f"],
  ["times", "select time '09:30:00.5' a, '09:30:00+02'::timetz b, time_ns '09:30:00.123456789' c"],
  ["dates", "select x::date a from (values ('2026-11-20'), ('12026-01-02'), ('0044-03-15 (BC)'), ('infinity')) t(x)"],
  [
    "timestamps",
    "select x::timestamp a, x::timestamp_s b, x::timestamp_ms c, x::timestamptz e from (values ('2026-11-20 09:30:00.5'), ('-infinity')) t(x)",
  ],
  ["nanoseconds", "select timestamp_ns '2026-11-20 09:30:00.123456789' a"],
  ["booleans", "select x from (values (true), (null)) t(x)"],
  ["enums", "select x::enum('it''s', 'b, (c)', 'd\"e') a from (values ('it''s'), ('d\"e'), (null)) t(x)"],
  [
    "lists",
    "select [1, null] a, [[1.5], null] b, []::varchar[] c, array_value(1::float, 2::float) d, [{'k': [date '2020-01-01']}] e",
  ],
  [
    "structs",
    "select {'a b': 1, '__proto__': 'x', 'T': {'u': [9007199254740993]}} a, null::struct(x integer) b, (1, 'a') c",
  ],
  ["maps", "select map {'k': 1, 'l': null} a, map {1.10: [interval '1 day']} b, map {'x': {'y': 1}} c"],
  [
    "unions",
    "select x::union(n integer, t varchar, d date) a from (values (5::union(n integer, t varchar, d date)), ('five'::union(n integer, t varchar, d date)), (date '2020-01-01'::union(n integer, t varchar, d date))) t(x)",
  ],
  ["documents", "select '{\"a\": 1.10}'::json a, '1'::json b, {'a': 1}::variant c"],
  [
    "names",
    'select 1 id, 2 "ID", \'x\' state, 3 "toString", 4 "a b", 5 "__proto__", 6 "constructor", 7 "1x", 8 "it\'s \\ `$`{x}", 9 "é"',
  ],
  [
    "named",
    "select n, $word::varchar word from range(3) t(n) where n >= $least and n < $most::bigint;",
    '{ word: "a", least: 1, most: "3" }',
  ],
  [
    "positional",
    "-- `comment` \x24{x} \\\r\nselect ?::date a,\r\n  ?::decimal(5, 2) b, ?::boolean c\r\n",
    '["2026-11-20", 1.5, true]',
  ],
];

const apiKey = "qk_types_test_0123456789";
let folder: string;
let service: ReturnType<typeof spawnQuern>;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-types-"));
  await mkdir(join(folder, "queries", "more"), { recursive: true });
  await symlink(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), join(folder, "node_modules"));
  for (const [name, sql] of statements) await writeFile(join(folder, fileOf(name)), sql);
  const words = ["serve", "--port", "0", "--data-dir", join(folder, "data"), "--json"];
  service = spawnQuern(words, { QUERN_API_KEY: apiKey });
  env = { QUERN_URL: JSON.parse(await firstLine(service)).url, QUERN_API_KEY: apiKey };
});
afterAll(async () => {
  service?.signal("SIGTERM");
  await service?.ended;
  await rm(folder, { recursive: true, force: true });
});

const execute = promisify(execFile);
const fileOf = (name: string) => `queries/${name.startsWith("n") ? "more/" : ""}${name}.sql`;
const capitalized = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function types(words: readonly string[], environment = env): Promise<Ended> {
  return execute(process.execPath, [binary, "types", ...words], { cwd: folder, env: environment }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** Any value but undefined is wrong for some type. */
const others = [Symbol("none"), {}, [[]], 1.5, true, "~"];

it("types of 20 statements compile, and their schemas pass the rows that come and no others", async () => {
  const pattern = "queries/**/*.sql";
  const first = await types([pattern]);
  expect(first).toEqual({
    code: 0,
    stdout: `${statements
      .map(([name]) => `wrote ${fileOf(name)}.ts\n`)
      .toSorted()
      .join("")}20 statements, 20 files written\n`,
    stderr: "",
  });
  expect(await types([pattern])).toMatchObject({ code: 0, stdout: "20 statements, 0 files written\n" });
  expect(await types([pattern, "--check"], {})).toEqual({ code: 0, stdout: "20 statements up to date\n", stderr: "" });

  const program = [
    'import { type Client, query, rowsOf, wholeResultOf } from "@quern/client";',
    'import { queryResultsOptions, useQueryResults } from "@quern/react";',
    // From the text of the standard.
    "interface StandardSchemaV1<Input, Output> { readonly '~standard': { readonly version: 1; readonly vendor: string; readonly validate: (value: unknown) => { readonly value: Output; readonly issues?: undefined } | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined }> } | Promise<never>; readonly types?: { readonly input: Input; readonly output: Output } | undefined } }",
    ...statements.map(
      ([name]) => `import { ${name}, ${name}Schema, type ${capitalized(name)}Row } from "./${fileOf(name)}.ts";`,
    ),
    "export async function run(client: Client): Promise<void> {",
    ...statements.flatMap(([name, , parameters = ""]) => [
      `  const ${name}Standard: StandardSchemaV1<${capitalized(name)}Row, ${capitalized(name)}Row> = ${name}Schema;`,
      `  for await (const row of rowsOf(await query(client, { ...${name}(${parameters}), maxAgeMinutes: 1 }), { schema: ${name}Standard })) { const typed: ${capitalized(name)}Row = row; void typed; }`,
    ]),
    "  const { rows: [pair] } = await wholeResultOf(await query(client, lists()), lists());",
    "  const element: number | null | undefined = pair?.a?.[0];",
    "  const state: string | null | undefined = (await wholeResultOf(await query(client, names()), names())).rows[0]?.state;",
    "  // @ts-expect-error A parameter is missing.",
    '  named({ word: "a", least: 1 });',
    "  // @ts-expect-error A word that the enum does not have.",
    '  const word: EnumsRow["a"] = "f";',
    "  void [element, state, word, queryResultsOptions(client, named({ word: null, least: 1, most: 2 }))];",
    "}",
    "export function usePair(): number | string | null | undefined {",
    "  return useQueryResults(named({ word: null, least: 1, most: 2 })).data?.rows[0]?.n;",
    "}",
  ];
  await writeFile(join(folder, "program.ts"), program.join("\n"));
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom"],
    module: "nodenext",
    types: [],
    strict: true,
    declaration: true,
    exactOptionalPropertyTypes: true,
    isolatedDeclarations: true,
    noPropertyAccessFromIndexSignature: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    outDir: "out",
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const compiled = await execute(process.execPath, ["node_modules/typescript/bin/tsc"], { cwd: folder }).catch(
    ({ stdout }) => ({ stdout }),
  );
  expect(compiled.stdout).toBe("");

  const client = createClient({ url: env.QUERN_URL ?? "", apiKey });
  for (const [name, sql, parameters] of statements) {
    const module = await import(pathToFileURL(join(folder, "out", `${fileOf(name)}.js`)).href);
    const statement = module[name](parameters === undefined ? undefined : new Function(`return ${parameters}`)());
    expect(statement.sql, name).toBe(sql.replaceAll("\r\n", "\n"));
    const result = await query(client, statement);
    const { rows } = await wholeResultOf<Record<string, unknown>>(result, statement);
    expect(rows.length, name).toBeGreaterThan(0);
    expect(await Array.fromAsync(rowsOf(result, statement)), name).toEqual(rows);
    const { validate } = statement.schema["~standard"];
    for (const row of rows) {
      const entries = Object.entries(row);
      const outcome = (changed: readonly (readonly [string, unknown])[]) => validate(Object.fromEntries(changed));
      expect(outcome(entries)).toEqual({ value: row });
      expect(outcome([...entries, ["more", 1]])).toEqual({
        issues: [{ message: "unexpected column", path: ["more"] }],
      });
      for (const [at, [column]] of entries.entries()) {
        const path = [expect.objectContaining({ path: [column] })];
        expect(outcome(entries.toSpliced(at, 1))).toEqual({ issues: path });
        if (name === "documents") continue;
        const refused = others.filter((value) => outcome(entries.with(at, [column, value])).issues !== undefined);
        expect(refused.length, `${name}.${column}`).toBeGreaterThanOrEqual(4);
        expect(refused).toContain(others[0]);
      }
    }
    expect(validate([])).toEqual({ issues: [{ message: "expected a row as an object" }] });
  }
});

it("--check names each stale file, and errors have their place", async () => {
  const at = (name: string) => join(folder, "stale", name);
  await mkdir(at(""));
  await writeFile(at("one.sql"), "select 1 as a");
  await writeFile(at("two.sql"), "select 2 as b\r\n");
  const pattern = "stale/*.sql";
  expect(await types([pattern])).toMatchObject({ code: 0, stderr: "" });
  const snapshot = await readFile(at("quern-types.json"), "utf8");
  const typed = await readFile(at("two.sql.ts"), "utf8");

  // Neither the line ends that Git may change nor a formatter of JSON makes a file stale.
  await writeFile(at("two.sql"), "select 2 as b\n");
  await writeFile(at("two.sql.ts"), typed.replaceAll("\n", "\r\n"));
  await writeFile(at("quern-types.json"), JSON.stringify(JSON.parse(snapshot), null, "\t"));
  expect(await types([pattern, "--check"], {})).toMatchObject({ code: 0, stderr: "" });
  expect(await types([pattern])).toMatchObject({ code: 0, stdout: "2 statements, 0 files written\n" });

  await rm(at("one.sql"));
  await writeFile(at("two.sql"), "select 3 as b");
  await writeFile(at("new.sql"), "select\n  colour from (select 1 as color)");
  await writeFile(at("several.sql"), "select 1;\n\nselect 2");
  await writeFile(at("empty.sql"), "-- nothing\n");
  await writeFile(at("untyped.sql"), "select $x as x");
  const stale = await types([pattern, "--check"], {});
  expect(stale).toMatchObject({ code: 4, stdout: "" });
  expect(stale.stderr.split("\n")).toEqual([
    "stale/one.sql.ts: its statement does not exist any more",
    ...["empty", "new", "several"].map((name) => `stale/${name}.sql: it is not in the snapshot stale/quern-types.json`),
    "stale/two.sql: it has changed since its types were written",
    "stale/untyped.sql: it is not in the snapshot stale/quern-types.json",
    'quern: stale files: 6; run `quern types "stale/*.sql"` with a service, and commit what it writes',
    "",
  ]);
  const mended = await types([pattern]);
  expect(mended).toMatchObject({
    code: 4,
    stdout:
      "wrote stale/two.sql.ts\nwrote stale/untyped.sql.ts\nremoved stale/one.sql.ts\n2 statements, 2 files written\n",
  });
  expect(mended.stderr.split("\n").map((line) => line.replace(/not found.*/, "not found"))).toEqual([
    "stale/empty.sql:1:1: the file has no statement",
    'stale/new.sql:2:3: Referenced column "colour" not found',
    "stale/several.sql:3:1: the file has several statements; write each in a file of its own",
    "stale/untyped.sql:1:1: unknown type of $x: a column whose type depends on the value may not match the schema",
    "quern: invalid statements: 3; correct them, and run the command again",
    "",
  ]);
  for (const name of ["empty", "new", "several"]) await rm(at(`${name}.sql`));
  await writeFile(at("two.sql.ts"), typed);
  expect(JSON.parse((await types([pattern, "--check", "--json"], {})).stdout)).toEqual({
    stale: [{ file: "stale/two.sql.ts", reason: "it differs from the snapshot" }],
  });
  expect(await types(["none/*.sql"])).toMatchObject({ code: 2 });
});
