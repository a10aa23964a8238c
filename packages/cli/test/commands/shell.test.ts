import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quern, quernOn } from "../quern.ts";

const mock = createMockServer({ execute: ({ sql, parameters }) => [{ sql, parameters }] });
mock.when("select bad").fails({ errorName: "BinderError", errorMessage: "there is no column bad" });
mock.when("select wide").rows([{ first: "a".repeat(60), second: "b".repeat(60) }]);
let on: Awaited<ReturnType<typeof quernOn>>;
let folder: string;
beforeAll(async () => {
  on = await quernOn(mock);
  folder = await mkdtemp(join(tmpdir(), "quern-shell-"));
});
afterAll(async () => {
  await on[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const shell = (text: string | Buffer, ...words: string[]) => on.run(["shell", ...words], text);
const rows = (...statements: readonly string[]) =>
  statements.map((sql) => `${JSON.stringify({ sql, parameters: null })}\n`).join("");

describe("quern shell without a terminal", () => {
  it("runs the statements on stdin, the last one without a semicolon, and prints no prompt", async () => {
    const { stdout, stderr, status } = await shell("-- a report\r\nselect 1;select ';';\r\n\r\nselect\r\n 3");
    expect({ stdout, stderr, status }).toEqual({
      stdout: rows("select 1", "select ';'", "select\r\n 3"),
      stderr: "",
      status: 0,
    });
    expect(await shell("")).toEqual({ stdout: "", stderr: "", status: 0 });
  });

  it("goes on after an error, names its line, and ends with the exit code of the first one", async () => {
    const { stdout, stderr, status } = await shell(
      "select 1;\n\\zzzz\n\nselect bad;\n\\watch 0\nselect 2;\n\\q\nselect 3;",
    );
    expect(stdout).toBe(rows("select 1;", "select 2;"));
    expect(stderr.split("\n")).toEqual([
      "<stdin>:2: error: unknown command: \\zzzz; \\? lists the commands",
      "<stdin>:4: error: there is no column bad",
      "<stdin>:5: error: invalid \\watch: expected more than 0 and at most 2147483 seconds",
      "",
    ]);
    expect(status).toBe(2);
    const json = await shell("select bad;", "--json");
    expect([JSON.parse(json.stderr), json.status]).toMatchObject([{ kind: "failed", exitCode: 4 }, 4]);
  });

  it("binds the values of \\set and --param, each to the statements that have its parameter", async () => {
    const { stdout, stderr } = await shell(
      [
        "\\set town New York",
        "\\set code = '007'",
        "\\set n 9223372036854775807",
        "select $town, $code;",
        "select $n, $other;",
        "\\set",
        "\\unset n",
        "select $n, $town2;",
        "\\unset n",
      ].join("\n"),
      "--param",
      "other=null",
    );
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe('{"sql":"select $town, $code;","parameters":{"town":"New York","code":"007"}}');
    expect(lines[1]).toContain("9223372036854775807");
    expect(lines.slice(2, -1)).toEqual([
      "$other = null",
      '$town = "New York"',
      '$code = "007"',
      "$n = 9223372036854775807",
    ]);
    expect(lines.at(-1)).toContain('"parameters":null');
    expect(stderr).toMatch(/^<stdin>:9: error: invalid \\unset: /);
  });

  it("runs files, each relative to the file that names it, but not without end", async () => {
    await mkdir(join(folder, "parts"));
    await writeFile(join(folder, "main.sql"), "\uFEFFselect 'main';\r\n\\i parts/part.sql\r\nselect bad;");
    await writeFile(join(folder, "parts", "part.sql"), "\\i 'own part.sql'\nselect 'part'");
    await writeFile(join(folder, "parts", "own part.sql"), "select 'own';\n\\i main.sql");
    const { stdout, stderr, status } = await shell(`\\i ${folder}/main.sql\n\\i ${folder}/latin1.sql\nselect 2;`);
    expect(stdout).toBe(rows("select 'main';", "select 'own';", "select 'part'", "select 2;"));
    expect(stderr).toContain(`${folder}/main.sql:3: error: there is no column bad`);
    expect(stderr).toContain(`${folder}/parts/own part.sql:2: error: cannot read the statements: `);
    expect(stderr).toContain("<stdin>:2: error: cannot read the statements: ");
    expect(status).toBe(2);
    await writeFile(join(folder, "loop.sql"), "\\i loop.sql");
    expect((await shell(`\\i ${folder}/loop.sql`)).stderr).toMatch(/at most 16 files that run each other/);
  });

  it("writes results to files: several as text, a compressed one alone, and prints the next ones again", async () => {
    const { stdout, stderr, status } = await shell(
      `\\o ${folder}/all.csv\nselect 1;\nselect 2;\n\\o\n\\o ${folder}/one.csv.gz\nselect 3;\nselect 4;\n\\o ${folder}/a.doc\n\\o`,
    );
    expect(stdout).toBe(rows("select 4;"));
    expect(await readFile(join(folder, "all.csv"), "utf8")).toBe(
      "sql,parameters\nselect 1;,\n\nsql,parameters\nselect 2;,\n",
    );
    expect((await readFile(join(folder, "one.csv.gz"))).subarray(0, 2).toString("hex")).toBe("1f8b");
    expect(stderr).toMatch(
      /^wrote .*all\.csv: 53 bytes\n.*, which holds one\nwrote .*one\.csv\.gz: \d+ bytes\n.*\n.*unknown extension \.doc/,
    );
    expect(stderr).toMatch(/<stdin>:9: error: no file is open; name one\n$/);
    expect(status).toBe(2);
  });

  it("has the formats and the commands of the terminal", async () => {
    const { stdout, stderr } = await shell(
      "\\format csv\nselect 1;\n\\last table\n\\runs 1\n\\d cars\n\\d c*\n\\d carz\n",
    );
    expect(stdout).toContain(
      "sql,parameters\nselect 1;,\n\nsql        parameters\n─────────  ──────────\nselect 1;  NULL\n",
    );
    expect(stdout).toMatch(
      /\nid +state +created_at +elapsed_seconds +rows +sql\n─.*\nrun\S+ +success .* 1 {2}select 1;\n/,
    );
    expect(stdout).toMatch(/\nname +type +nullable +key +comment\n─.*\nname +VARCHAR /);
    expect(stdout).toMatch(/\nname +schema +data_source +columns +rows +comment\n─.*\ncars +main +samples/);
    expect(stderr).toBe("format: csv\n<stdin>:7: error: unknown table: carz; did you mean cars?\n");
  });

  it("ends at an error of the connection or the key, and refuses text that is not UTF-8", async () => {
    const away = await quern(
      ["shell"],
      { QUERN_URL: "http://127.0.0.1:9", QUERN_API_KEY: "k" },
      "select 1;\nselect 2;",
    );
    expect([away.status, away.stderr.match(/error: /g)]).toEqual([7, ["error: "]]);
    expect(await quern(["shell"], {}, "select 1;")).toMatchObject({ status: 3, stdout: "" });
    expect(await shell(Buffer.from("select 1;\nselect 'é", "latin1"))).toMatchObject({
      status: 2,
      stdout: rows("select 1;"),
      stderr: expect.stringContaining("its bytes are not UTF-8"),
    });
  });

  it("is not what quern without arguments does: that prints the help", async () => {
    expect((await quern([])).stdout).toMatch(/^USAGE\n/);
  });
});
