import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quern, quernOn } from "../quern.ts";

const mock = createMockServer({ execute: ({ sql, parameters }) => [{ sql, parameters }] });
mock.when("select name from cars").rows([
  { name: "fiat 128", year: 1972 },
  { name: null, year: 1976 },
  { name: "", year: 1977 },
]);
mock.when("select odd").rows([{ id: 1, state: "a\u001b[2J", toString: "日本" }]);
mock.when("select many").rows(Array.from({ length: 25_000 }, (_, n) => ({ n })));
mock.when("select bad").fails({ errorName: "BinderError", errorMessage: "there is no column bad" });
const local = { category: "USER", position: 14, line: 1, column: 15 } as const;
for (const before of ["", "explain ", "summarize "]) {
  const [position, column] = [local.position + before.length, local.column + before.length];
  mock.when(`${before}select 1 from 'a.csv'`).fails({
    errorName: "BinderError",
    errorMessage: `file system operations are disabled (line 1, column ${column})`,
    errorData: { ...local, position, column },
  });
}
const plan = "┌─────┐\n│SCAN │\n└─────┘\n";
mock.when("explain select odd").rows([{ explain_key: "physical_plan", explain_value: plan }]);
mock.when("explain analyze select odd").rows([{ "QUERY PLAN": "Seq Scan" }, { "QUERY PLAN": "  Filter\u001b[1m" }]);
let on: Awaited<ReturnType<typeof quernOn>>;
let folder: string;
beforeAll(async () => {
  on = await quernOn(mock);
  folder = await mkdtemp(join(tmpdir(), "quern-everyday-"));
});
afterAll(async () => {
  await on[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe("a statement without a command", () => {
  it.each([
    [["select name from cars", "--csv"]],
    [["--csv", "select name from cars"]],
    [["-c", "select name from cars", "--csv"]],
    [["--csv", "--command", "select name from cars"]],
    [["query", "-c", "select name from cars", "--csv"]],
  ])("%j is a query", async (words) => {
    const stdout = 'name,year\nfiat 128,1972\n,1976\n"",1977\n';
    expect(await on.run(words)).toEqual({ status: 0, stdout, stderr: "" });
  });

  it.each([
    [["selec 1"], 'unknown command: selec 1; if it is a statement, write `quern -c "…"`'],
    [["drop table cars"], 'unknown command: drop table cars; if it is a statement, write `quern -c "…"`'],
    [["desc", "cars"], "unknown command: desc; did you mean `describe`?"],
    [["show", "tables"], "unknown command: show; did you mean `quern tables`?"],
    [["kill", "run_1"], "unknown command: kill; did you mean `quern cancel`?"],
  ])("%j is an unknown command, and nothing is sent", async (words, message) => {
    const env = { QUERN_URL: "http://127.0.0.1:9", QUERN_API_KEY: "k" };
    expect(await quern(words, env)).toEqual({ status: 2, stdout: "", stderr: `quern: ${message}\n` });
  });

  it("is read from stdin, also with flags alone; without text on stdin, the help follows", async () => {
    const sql = "select 1\n, 2";
    expect((await on.run([], sql)).stdout).toMatch(/^\{"sql":"select 1\\n, 2"/);
    expect((await on.run(["--csv", "--no-header"], sql)).stdout).toMatch(/^"select 1\n, 2"/);
    expect((await on.run([])).stdout).toMatch(/^USAGE\n/);
  });

  it("may begin with a comment", async () => {
    expect((await on.run(["-- cars\nselect 1"])).stdout).toContain('"sql":"-- cars\\nselect 1"');
  });

  it("is given once", async () => {
    expect(await on.run(["select 1", "-c", "select 2"])).toMatchObject({
      status: 2,
      stderr: "quern: more than one statement is given; pass it as the argument, with --command or with --file\n",
    });
  });
});

describe("the output of rows", () => {
  const cars = (...words: string[]) => on.run(["select name from cars", ...words]);

  it.each([
    [["-F", "tsv", "--no-header"], 'fiat 128\t1972\n\t1976\n""\t1977\n'],
    [["-At"], 'fiat 128\t1972\n\t1976\n""\t1977\n'],
    [["--tsv", "--max-rows", "1"], "name\tyear\nfiat 128\t1972\n"],
    [["-xt", "--max-rows", "1"], "name  fiat 128\nyear  1972\n"],
    [["--csv", "--null", "NULL"], 'name,year\nfiat 128,1972\nNULL,1976\n"",1977\n'],
    [["--csv", "--null", "fiat 128", "--no-header"], '"fiat 128",1972\nfiat 128,1976\n"",1977\n'],
    [["-F", "table", "--no-header", "--null", "-"], "fiat 128  1972\n-         1976\n          1977\n"],
    [
      ["-F", "markdown", "--null", ""],
      "| name | year |\n| --- | ---: |\n| fiat 128 | 1972 |\n|  | 1976 |\n|  | 1977 |\n",
    ],
    [
      ["-F", "vertical"],
      "── row 1 ──\nname  fiat 128\nyear  1972\n── row 2 ──\nname  NULL\nyear  1976\n── row 3 ──\nname\nyear  1977\n",
    ],
    [["-F", "vertical", "--no-header", "--max-rows", "2"], "name  fiat 128\nyear  1972\n\nname  NULL\nyear  1976\n"],
  ])("has the form of %j", async (words, stdout) => {
    expect(await cars(...words)).toMatchObject({ status: 0, stdout });
  });

  it("escapes control characters and aligns wide ones, for columns of any name", async () => {
    const { stdout } = await on.run(["select odd", "--format", "vertical"]);
    expect(stdout).toBe("── row 1 ──\nid        1\nstate     a\\u001b[2J\ntoString  日本\n");
  });

  it.each(["table", "csv", "jsonl", "json"])(
    "as %s ends after --max-rows, with the number of all rows",
    async (format) => {
      const ended = await on.run(["select many", "--format", format, "--max-rows", "12000"]);
      const stderr = "the first 12,000 of 25,000 rows; --max-rows prints more\n";
      expect(ended).toMatchObject({ status: 0, stderr });
      expect(ended.stdout.match(/11999/g)).toHaveLength(1);
      expect(ended.stdout).not.toContain("12000");
    },
  );

  it("has the number of all rows in the summary on a terminal", async () => {
    const { stderr } = await on.start(["select many", "--max-rows", "3", "--no-progress"], { columns: 80 }).ended;
    expect(stderr).toMatch(/^3 of 25,000 rows in [\d.]+ s\n$/);
  });

  it("on a terminal has 1,000 rows unless more are wanted, and dims NULL", async () => {
    const cut = await on.start(["select many", "--no-progress"], { columns: 80 }).ended;
    expect(cut.stdout.split("\n")).toHaveLength(1_003);
    expect(cut.stderr).toMatch(/^1,000 of 25,000 rows in [\d.]+ s, --max-rows all or -o FILE prints all\n$/);
    const whole = await on.start(["select many", "--no-progress", "--max-rows", "all"], { columns: 80 }).ended;
    expect(whole.stdout.split("\n")).toHaveLength(25_003);
    for (const layout of ["table", "vertical"]) {
      const { stdout } = await on.start(["select name from cars", "--format", layout], { columns: 80 }).ended;
      expect(stdout).toContain("\u001b[2mNULL\u001b[22m");
    }
  });

  it("as parquet is whole: --max-rows is refused, and leaves no file", async () => {
    const words = ["select many", "-o", join(folder, "a.parquet"), "--max-rows", "3"];
    expect(await on.run(words)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/does not apply to parquet/),
    });
  });
});

describe("tables", () => {
  it.each([
    [[], ["cars"]],
    [["CAR"], ["cars"]],
    [["c?rs"], ["cars"]],
    [["samples.main.*"], ["cars"]],
    [["car"], ["cars"]],
    [["c?r"], []],
    [["horsep*"], ["cars"]],
    [["horse.power"], []],
  ])("quern tables %j lists %j", async (words, names) => {
    const { status, stdout } = await on.run(["tables", ...words, "--json"]);
    expect([status, JSON.parse(stdout).map(({ name }: { readonly name: string }) => name)]).toEqual([0, names]);
  });

  it.each(["cars", "MAIN.cars", '"samples"."main"."cars"'])("quern describe %s lists the columns", async (name) => {
    const { stdout, stderr } = await on.run(["describe", name, "--csv"]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^name,type,nullable,key,comment\nname,VARCHAR,true,,\n/);
  });

  it("quern describe lists the columns of a statement, and suggests the name of a table", async () => {
    const { stdout } = await on.run(["describe", "select name from cars", "--csv"]);
    expect(stdout).toMatch(/^name,type,nullable\nname,/);
    expect(await on.run(["describe", "car"])).toMatchObject({
      status: 2,
      stderr: "quern: unknown table: car; did you mean cars?\n",
    });
    expect((await on.run(["describe", "main.carz"])).stderr).toBe(
      "quern: unknown table: main.carz; did you mean cars?\n",
    );
    expect(await on.run(["describe", "trees"])).toMatchObject({
      status: 2,
      stderr: "quern: unknown table: trees; `quern tables` lists the tables\n",
    });
  });

  it("quern explain prints the text of the plan", async () => {
    expect(await on.run(["explain", "select odd"])).toEqual({ status: 0, stdout: plan, stderr: "" });
    const analyzed = await on.run(["explain", "--analyze", "select odd"]);
    expect(analyzed.stdout).toBe("Seq Scan\n  Filter\\u001b[1m\n");
    const onTerminal = await on.start(["explain select odd"], { columns: 80 }).ended;
    expect(onTerminal.stdout).toBe(plan);
    const { stdout } = await on.run(["explain", "explain select odd", "--json"]);
    expect(JSON.parse(stdout)).toEqual([{ explain_key: "physical_plan", explain_value: plan }]);
  });

  it.each([["query"], ["explain"], ["summarize"], ["describe"]])(
    "quern %s reports the place in the statement of the caller, and how to read a file of this machine",
    async (command) => {
      const sql = "select 1 from 'a.csv'";
      const message = "file system operations are disabled";
      const hint = "to read a file of this machine, pass --with a=a.csv, and write a in the statement";
      const line = await on.run([command, sql]);
      expect(line).toEqual({ status: 4, stdout: "", stderr: `quern: ${message} (line 1, column 15); ${hint}\n` });
      const { stderr } = await on.run([command, sql, "--json"]);
      expect(JSON.parse(stderr)).toMatchObject({ kind: "failed", data: { position: 14, column: 15 } });
      const marked = await on.start([command, sql], { columns: 80 }).ended;
      expect(marked.stderr).toMatch(new RegExp(`quern: ${message}; .*\\nline 1: ${sql}\\n {22}\\^\\n$`));
    },
  );

  it.each([
    ["main.cars", 'summarize "main"."cars"'],
    ["order", 'summarize "order"'],
    ['bad"name', 'summarize "bad""name"'],
    ["select 1 as n", "summarize select 1 as n"],
  ])("quern summarize %s runs %s", async (subject, sql) => {
    const { stdout } = await on.run(["summarize", subject]);
    expect(JSON.parse(stdout).sql).toBe(sql);
  });
});

describe("a file with several statements", () => {
  const script = "-- report\r\nselect name from cars;\r\nselect bad;\r\nselect 'a;b' as $x;\r\n";
  async function run(...words: string[]) {
    const file = join(folder, "report.sql");
    await writeFile(file, script);
    return on.run(["query", "--file", file, ...words]);
  }
  const failure = "quern: statement 2 of 3 (line 3): ";

  it("prints each result under its heading, and ends with the exit code of the first failure", async () => {
    const { status, stdout, stderr } = await run("--format", "table", "-p", "x=1", "--max-rows", "1");
    expect(stdout).toMatch(
      /^-- 1 of 3: select name from cars\nname .*\n.*\nfiat 128 .*\n\n-- 2 of 3: select bad\n\n-- 3 of 3: select 'a;b' as \$x\nsql .*\n.*\nselect 'a;b' as \$x +\{"x":1\}\n$/,
    );
    expect(status).toBe(4);
    expect(stderr).toContain(`${failure}there is no column bad`);
  });

  it("ends at the first failure with --stop-on-error", async () => {
    const { status, stdout, stderr } = await run("--csv", "--stop-on-error");
    expect({ status, stdout }).toEqual({ status: 4, stdout: 'name,year\nfiat 128,1972\n,1976\n"",1977\n\n' });
    expect(stderr.startsWith(failure)).toBe(true);
  });

  it("reports its errors as JSON, and runs nothing if the results cannot be in one output", async () => {
    const { stderr, status } = await run("--json");
    expect(JSON.parse(stderr)).toMatchObject({ kind: "failed", exitCode: 4, errorName: "BinderError" });
    expect(status).toBe(4);
    for (const words of [
      ["-o", join(folder, "a.csv")],
      ["--format", "parquet"],
    ])
      expect(await run(...words)).toMatchObject({
        status: 2,
        stdout: "",
        stderr: expect.stringContaining("3 results"),
      });
  });

  it("must exist", async () => {
    expect(await on.run(["query", "--file", join(folder, "none.sql")])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^quern: cannot read the statements: .*none\.sql.*; pass a file with SQL to --file\n$/,
      ),
    });
  });
});

describe("runs", () => {
  it("are listed with their SQL, and the newest one is printed again and canceled by its id", async () => {
    await on.run(["select name from cars"]);
    const list = await on.run(["runs", "list", "--limit", "1", "--csv"]);
    expect(list.stdout).toMatch(/^id,state,sql,created_at,.*\nrun\S*,success,select name from cars,.*,3,.*\n$/);
    const last = await on.run(["last", "--csv"]);
    expect(last).toEqual({ status: 0, stdout: 'name,year\nfiat 128,1972\n,1976\n"",1977\n', stderr: "" });
    expect(await on.run(["cancel", "run_none"])).toMatchObject({
      status: 8,
      stderr: expect.stringContaining("run_none"),
    });
    expect(await on.run(["result"])).toMatchObject({
      status: 2,
      stderr: "quern: missing argument: run; write its id, or --last for the newest run\n",
    });
    expect(await on.run(["result", "run_1", "--last"])).toMatchObject({ status: 2 });
  });
});
