import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { engineOfAddress } from "@quern/server/sources";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { withFakePackages } from "../fake-packages.ts";

class SourceError extends Error {}
class ConfigurationError extends Error {}

const packages: Record<string, object> = {};
const { calls, fake, quern } = withFakePackages(packages);
const dataDir = resolve("quern-data");
const place = { dataDir, bucket: undefined };

/** Sets the results of functions of the sources, by their names. */
function sources(results: Readonly<Record<string, unknown>>): void {
  const functions = Object.entries(results).map(([name, result]) => [name, fake(name, result)]);
  packages["@quern/server/sources"] = { SourceError, engineOfAddress, ...Object.fromEntries(functions) };
}

/** Sets the settings of the service. */
function settings(values: object): void {
  packages["@quern/server"] = { ConfigurationError, readConfiguration: () => values };
}

const codes = { name: "shop.main.codes", tables: 1, rows: 1, columns: 2 };
const report = { files: 2, skipped: 1, padded: 1, ignored: 3, cut: ["at"] };
const loadedText = `loaded shop.a: 1 row, 2 columns
loaded shop.b: 1 row, 2 columns; 2 files read, 1 skipped (names that begin with . or _); 1 short row padded with NULL; 3 rows left out; times cut to microseconds: at
`;

beforeEach(() => {
  delete packages["@quern/server"];
  sources({ addToSource: codes, connectSource: undefined, removeFromSource: undefined });
});

describe("quern sources add", () => {
  it("loads tables with all that its flags say", async () => {
    const words = ["--as", "a", "--table", "t", "--schema", "s", "--type", "c=INT", "--type", "d=TEXT", "--all-text"];
    expect(await quern(["sources", "add", "shop", "codes.csv", ...words, "--run-as", "user"])).toEqual({
      status: 0,
      stdout: "loaded shop.main.codes: 1 row, 2 columns\n",
      stderr: "",
    });
    const names = { from: "codes.csv", as: "a", table: "t", schema: "s" };
    const request = { ...names, runAs: "user", types: { c: "INT", d: "TEXT" }, allText: true };
    expect(calls).toEqual([["addToSource", { ...place, source: "shop" }, request]]);
  });

  it("loads CSV files with all that its flags say", async () => {
    const words = [
      "--delimiter",
      "\\t",
      "--quote",
      "",
      "--no-header",
      "--skip",
      "2",
      "--null-text",
      "NA",
      "--null-text",
      "-",
    ];
    const more = [
      "--escape",
      "\\",
      "--encoding",
      "latin1",
      "--decimal-separator",
      ",",
      "--sample",
      "9",
      "--pad-rows",
      "--ignore-errors",
    ];
    const { stdout } = await quern(["sources", "add", "shop", "codes.csv", ...words, ...more, "--json"]);
    const csv = {
      delimiter: "\t",
      quote: "",
      escape: "\\",
      header: false,
      skip: 2,
      nullText: ["NA", "-"],
      encoding: "latin1",
    };
    const request = { from: "codes.csv", allText: false };
    const all = { ...csv, decimalSeparator: ",", sample: 9, padRows: true, ignoreErrors: true };
    expect(calls).toEqual([["addToSource", { ...place, source: "shop" }, { ...request, csv: all }]]);
    expect(JSON.parse(stdout)).toEqual({ loaded: ["shop.main.codes"], details: [codes] });
    expect(await quern(["sources", "add", "shop", "a.csv", "--skip", "-1"])).toMatchObject({ status: 2 });
    expect(await quern(["sources", "add", "lake", "trino://h/c", "--skip", "1"])).toMatchObject({ status: 2 });
  });

  it("loads tables without flags", async () => {
    await quern(["sources", "add", "shop", "postgres://h/d", "--data-dir", "data"]);
    const location = { dataDir: resolve("data"), bucket: undefined, source: "shop" };
    expect(calls).toEqual([["addToSource", location, { from: "postgres://h/d", allText: false }]]);
  });

  it.each([
    ["trino://h/c", "trino"],
    ["trinos://h/c", "trino"],
    ["clickhouse://h/c", "clickhouse"],
    ["clickhouses://h/c", "clickhouse"],
  ])("connects the engine that the address names: %s", async (from, kind) => {
    expect(await quern(["sources", "add", "lake", from])).toEqual({ status: 0, stdout: "added lake\n", stderr: "" });
    expect(calls).toEqual([["connectSource", { ...place, source: "lake" }, { kind, from }]]);
  });

  it.each(["strino://h/c", "trino:/h/c", "data/trino://h"])("loads the tables of %s", async (from) => {
    await quern(["sources", "add", "lake", from]);
    expect(calls.map(([name]) => name)).toEqual(["addToSource"]);
  });

  it.each([
    [["--password-file", "p"], { file: resolve("p") }],
    [["--password-variable", "LAKE"], { variable: "LAKE" }],
  ])("connects the engine that --kind names, with %j", async (words, password) => {
    await quern(["sources", "add", "lake", "trino://h/c", "--kind", "own", "--run-as", "fixed", ...words, "--json"]);
    const request = { kind: "own", from: "trino://h/c", password, runAs: "fixed" };
    expect(calls).toEqual([["connectSource", { ...place, source: "lake" }, request]]);
  });

  it.each([
    ["trino://h/c", ["--as", "a"], "remove them: the engine is queried in place"],
    ["trino://h/c", ["--table", "a"], "remove them: the engine is queried in place"],
    ["trino://h/c", ["--schema", "a"], "remove them: the engine is queried in place"],
    ["trino://h/c", ["--type", "a=INT"], "remove them: the engine is queried in place"],
    ["trino://h/c", ["--all-text"], "remove them: the engine is queried in place"],
    ["trino://h/c", ["--password-file", "p", "--password-variable", "P"], "cannot both be given; remove one"],
    ["codes.csv", ["--password-file", "p"], "add --kind, or set PGPASSWORD"],
    ["codes.csv", ["--password-variable", "P"], "add --kind, or set PGPASSWORD"],
    ["codes.csv", ["--type", "b=INT", "--type", "a=INT", "--type", "a=TEXT"], "is given twice for the column a; give"],
    [
      "codes.csv",
      ["a=INT", "b=INT", "b=TEXT", "a=TEXT"].flatMap((type) => ["--type", type]),
      "twice for the column b;",
    ],
  ])("of %s refuses %j", async (from, words, message) => {
    expect(await quern(["sources", "add", "lake", from, ...words])).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
    expect(calls).toEqual([]);
  });

  it("connects an engine of an adapter that the settings name", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-sources-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const config = join(folder, "quern.json");
    await writeFile(config, "{}");
    const adapters = { own: "own-package" };
    settings({ adapters });
    const add = ["sources", "add", "lake", "own://h", "--kind", "own"];
    await quern(add, { QUERN_ADAPTERS: "own=own-package" });
    await quern(add, { QUERN_CONFIG: config });
    await quern([...add, "--config", config]);
    const call = ["connectSource", { ...place, source: "lake" }, { kind: "own", from: "own://h", adapters }];
    expect(calls).toEqual([call, call, call]);
  });

  it.each([
    [new SourceError("Name already in use"), 2, "quern: Name already in use\n"],
    [new Error("no space"), 1, "quern: no space; set QUERN_DEBUG=1 to print the stack\n"],
  ])("that fails with %s exits with %i", async (error, status, stderr) => {
    sources({ addToSource: error });
    expect(await quern(["sources", "add", "shop", "codes.csv"])).toEqual({ status, stdout: "", stderr });
  });
});

it.each([
  [["load", "shop"], ["loadSource", { ...place, source: "shop" }, []], loadedText],
  [["load", "shop", "a", "b"], ["loadSource", { ...place, source: "shop" }, ["a", "b"]], loadedText],
  [["remove", "shop"], ["removeFromSource", { ...place, source: "shop" }, []], "removed shop\n"],
  [
    ["remove", "shop", "a", "b"],
    ["removeFromSource", { ...place, source: "shop" }, ["a", "b"]],
    "removed a\nremoved b\n",
  ],
])("quern sources %j changes the tables of a source", async (words, call, stdout) => {
  sources({
    loadSource: [
      { ...codes, name: "shop.a" },
      { ...codes, name: "shop.b", ...report },
    ],
    removeFromSource: undefined,
  });
  expect(await quern(["sources", ...words])).toEqual({ status: 0, stdout, stderr: "" });
  expect(calls).toEqual([call]);
});

it("quern sources list prints the tables, their origins and the times of their loads", async () => {
  const loadedAt = "2026-11-24T12:00:00.000Z";
  sources({ listSources: [{ source: "shop", table: "a", rows: 2, from: "a.csv", loadedAt }] });
  const stdout = `source,table,rows,from,loaded_at\nshop,a,2,a.csv,${loadedAt}\n`;
  expect(await quern(["sources", "list", "--format", "csv"])).toEqual({ status: 0, stdout, stderr: "" });
  await quern(["sources", "list", "shop"]);
  expect(calls).toEqual([
    ["listSources", place, undefined],
    ["listSources", place, "shop"],
  ]);
});

describe("quern sources check", () => {
  const table = { source: "shop", table: "a", rows: 2, ok: true, problem: null };
  const engine = { source: "lake", table: "SELECT 1", rows: null, ok: true, problem: null };

  it.each([
    [[table], [engine], 0],
    [[{ ...table, ok: false, problem: "gone" }], [engine], 4],
    [[], [engine, { ...engine, ok: false, problem: "refused" }], 4],
  ])("exits with the code of its worst row", async (checkSources, checkEngineSources, status) => {
    sources({ checkSources, checkEngineSources });
    const rows = [...checkSources, ...checkEngineSources].map(
      ({ source, table, rows, ok, problem }) => `${source},${table},${rows ?? ""},${ok},${problem ?? ""}\n`,
    );
    expect(await quern(["sources", "check", "--format", "csv"])).toEqual({
      status,
      stdout: `source,table,rows,ok,problem\n${rows.join("")}`,
      stderr: "",
    });
    expect(calls).toEqual([
      ["checkSources", place, undefined],
      ["checkEngineSources", dataDir, undefined, {}],
    ]);
  });

  it("checks one source in the name of a user, with the adapters of the settings", async () => {
    settings({ adapters: { own: "own-package" } });
    sources({ checkSources: [], checkEngineSources: [] });
    await quern(["sources", "check", "lake", "--user", "ann"], { QUERN_ADAPTERS: "own=own-package" });
    expect(calls).toEqual([
      ["checkSources", place, "lake"],
      ["checkEngineSources", dataDir, "lake", { adapters: { own: "own-package" }, userId: "ann" }],
    ]);
  });
});

describe("the place of the sources", () => {
  it("is the bucket of the settings, if there are settings", async () => {
    settings({ sources: "s3://bucket/sources" });
    await quern(["sources", "remove", "shop"], { QUERN_SOURCES: "s3://bucket/sources" });
    await quern(["sources", "remove", "shop"]);
    expect(calls.map(([, location]) => location)).toEqual([
      { dataDir, bucket: "s3://bucket/sources", source: "shop" },
      { ...place, source: "shop" },
    ]);
  });

  it("is not a list in the settings", async () => {
    settings({ sources: [] });
    expect(await quern(["sources", "remove", "shop"], { QUERN_SOURCES: "[]" })).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("the setting sources lists the data sources of the service"),
    });
  });
});
