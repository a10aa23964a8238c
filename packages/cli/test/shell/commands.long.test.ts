import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFront } from "../front.ts";
import { binary, quern } from "../quern.ts";
import { endless, keys, startShellService } from "./shell-service.ts";

let on: Awaited<ReturnType<typeof startShellService>>;
beforeAll(async () => {
  on = await startShellService();
});
afterAll(() => on?.[Symbol.asyncDispose]());

describe("commands", () => {
  it("show tables, rows, runs and results in their forms", async () => {
    using shell = await on.open({ columns: 60 });
    expect(await shell.enter("\\d")).toMatch(/\ncars +main +samples +4 +3 /);
    expect(await shell.enter("\\d cars")).toMatch(/\nhorsepower +BIGINT /);
    expect(await shell.enter("\\d c*;")).toMatch(/\ncars /);
    expect(await shell.enter("\\d carz")).toContain("error: unknown table: carz; did you mean cars?");
    expect(await shell.enter("\\x auto")).toContain("vertical rows: auto");
    expect(await shell.enter("select name, origin from cars limit 1;")).toContain("\nfiat 128  Europe\n");
    expect(await shell.enter("select repeat('a', 40) as a, repeat('b', 40) as b;")).toMatch(
      /── row 1 ──\na {2}a{40}\nb {2}b{40}\n/,
    );
    await shell.resize(120, 40);
    expect(await shell.enter("select repeat('a', 40) as a, repeat('b', 40) as b;")).toMatch(/\na{40} {2}b{40}\n/);
    await shell.enter("\\x on");
    expect(await shell.enter("select 1 as n;")).toContain("── row 1 ──\nn  1\n");
    await shell.enter("\\x");
    expect(await shell.enter("\\format csv")).toContain("format: csv");
    expect(await shell.enter("select 1 as n;")).toContain("\nn\n1\n");
    expect(await shell.enter("\\last json")).toContain('\n[\n{"n":1}\n]\n');
    expect(await shell.enter("\\last 2 xlsx")).toMatch(/error: invalid \\last: expected .*, not xlsx; formats: table,/);
    expect(await shell.enter("\\last 1 parquet")).toContain(
      "error: invalid \\last: parquet needs a file; name it with \\o",
    );
    expect(await shell.enter("\\last 1 full csv")).toContain("\nn\n1\n");
    expect(await shell.enter("\\format tabel")).toContain("error: invalid \\format: expected one of table,");
    await shell.enter("\\format table");
    expect(await shell.enter("\\runs 2")).toMatch(/\nrun_\w+ +\d+ s +success .* select 1 as n;\nrun_/);
    await shell.enter("select 'a statement that is much wider than half of a narrow terminal' as words;");
    for (const columns of [100, 80, 40]) {
      await shell.resize(columns, 40);
      const shown = await shell.enter("\\runs 3");
      const [, before = ""] = /\n((?:\S+ +)+)sql\n/.exec(shown) ?? [];
      expect(before).toMatch(
        columns === 100 ? /^id +age +state / : columns === 80 ? /^age +state +seconds +rows / : /^age /,
      );
      expect(before.length).toBeLessThanOrEqual(columns / 2);
    }
    await shell.resize(200, 40);
    expect(await shell.enter("\\runs 1 full")).toMatch(
      /\nrun_\w+ +success +\d{4}-\S+Z .* narrow terminal' as words;\n/,
    );
    await shell.resize(120, 40);
    await shell.enter("\\timing on");
    expect(await shell.enter("\\last")).toMatch(/\n1 row in .*\ntime: [\d.]+ s queued, [\d.]+ s executing\n/);
    expect(await shell.enter("explain select 1;")).toContain("┌─");
    expect(await shell.enter("\\source")).toMatch(/\nsamples\nquern=>$/);
    expect(await shell.enter("\\source samples")).toMatch(/data source: samples\nsamples=>$/);
    expect(await shell.enter("select count(*) as n from cars;")).toContain("\n3\n1 row");
    expect(await shell.enter("\\source nowhere")).toMatch(
      /error: unknown data source: nowhere; those with tables: samples\nsamples=>$/,
    );
    await shell.enter("\\source default");
    expect(await shell.enter("help")).toMatch(/\n\\d \[name\] +List the tables/);
  });

  it("bind values, and never paste them into the text", async () => {
    using shell = await on.open();
    await shell.enter("\\set origin Europe' or 'a' = 'a");
    expect(await shell.enter("select count(*) as n from cars where origin = $origin;")).toMatch(/\n0\n1 row/);
    await shell.enter("\\set origin 'Europe'");
    expect(await shell.enter("\\set origin")).toContain('\n$origin = "Europe"\n');
    expect(await shell.enter("\\set colour")).toContain("error: $colour is not set; \\set colour value sets it");
    expect(await shell.enter("select name from cars where origin = $origin;")).toContain("\nfiat 128\n1 row");
    const { stdout } = await quern(["runs", "list", "--sql", "--limit", "1", "--csv"], on.env);
    expect(stdout).toContain("where origin = $origin;");
    await shell.enter("\\unset origin");
    expect(await shell.enter("select $origin;")).toContain("no value for $origin");
  });

  it("repeat a statement, run files and write results to files", async () => {
    using shell = await on.open();
    await shell.enter("select 7 as seven;");
    shell.clear();
    shell.type(`\\watch 0.3${keys.enter}`);
    await shell.see(/(?:every 0\.3 s, Ctrl-C ends\nseven\n─+\n +7\n1 row in .*\n[\d:]+, ){3}/);
    shell.type(keys.ctrlC);
    await shell.see(/\nquern=>$/);
    await writeFile(
      join(on.folder, "report.sql"),
      "select 'first' as a;\r\nselect colour\r\nfrom cars;\r\n\\x\r\nselect 'last' as b",
    );
    expect(await shell.enter(`\\i ${on.folder}/report.sql`)).toMatch(
      /first\n1 row.*report\.sql:2: error: .*\nline 2: select colour\n +\^\nvertical rows: on\n── row 1 ──\nb {2}last\n/s,
    );
    await writeFile(join(on.folder, "long.sql"), `${endless}\nselect 'not run';`);
    shell.clear();
    shell.type(`\\i ${on.folder}/long.sql${keys.enter}`);
    await on.isRunning();
    shell.type(keys.ctrlC);
    expect(await shell.see(/is withdrawn\.\nquern=>$/)).not.toContain("not run");
    await shell.enter(`\\o ${on.folder}/out.csv`);
    await shell.enter("select n from range(1500) t(n);");
    expect(await shell.enter("\\o")).toContain(`wrote ${on.folder}/out.csv: 6,392 bytes`);
    await shell.enter(`\\o ${on.folder}/several.csv`);
    await shell.enter("select 1 as a;");
    await shell.enter("select no_column;");
    await shell.enter("select 2 as b, 3 as c;");
    await shell.enter("\\o");
    expect(await readFile(join(on.folder, "several.csv"), "utf8")).toBe("a\n1\n\nb,c\n2,3\n");
    expect(await shell.enter(`\\o ${on.folder}/out.parquet`)).toMatch(
      /the next result goes to .*out\.parquet, which holds one/,
    );
    expect(await shell.enter("select no_column;")).toContain("error: ");
    expect(await shell.enter("select 1 as n;")).toMatch(
      /wrote .*out\.parquet: \d+ bytes\nthe file is complete; the next results are printed again\n/,
    );
    expect((await readFile(join(on.folder, "out.parquet"))).subarray(0, 4).toString()).toBe("PAR1");
    expect(await shell.enter(`\\o ${on.folder}/none/out.csv`)).toContain("error: cannot write");
    expect(await shell.enter("select 2 as n;")).toContain("n  2\n1 row");
    expect((await readdir(on.folder)).filter((name) => name.includes(".part"))).toEqual([]);
  });
});

describe("terminals and pipes", () => {
  it.each([
    ["xterm-256color", { NO_COLOR: "1" }],
    ["dumb", {}],
  ] as const)("TERM=%s with %j has no color, and a dumb one no control sequence", async (TERM, more) => {
    using shell = await on.open({ env: { TERM, ...more } });
    await shell.enter("select 1 as one;");
    await shell.enter("select colour;");
    shell.type(keys.ctrlD);
    await shell.ended;
    const sequences = shell.output().split("\u001b").slice(1);
    expect(sequences.filter((sequence) => TERM === "dumb" || /^\[[\d;]*m/.test(sequence))).toEqual([]);
  });

  it("a service that fails or goes away ends neither the shell nor its completion", async () => {
    let isAway = false;
    await using front = await startFront(on.env.QUERN_URL, () =>
      isAway ? { error: { code: -32_000, message: "out of order" } } : undefined,
    );
    using shell = await on.open({ env: { QUERN_URL: front.url } });
    isAway = true;
    expect(await shell.enter("select 1;")).toContain("error: ");
    shell.type(`sel${keys.tab}ect`);
    await shell.see(/=> select$/);
    isAway = false;
    expect(await shell.enter(" 2 as two;")).toContain("1 row in");
  });

  it("text on stdin runs as a file does, with its exit code, and a closed pipe is no error", async () => {
    const file = join(on.folder, "piped.sql");
    await writeFile(file, "select 1 as n;\r\nselect colour;\r\nselect '日本' as n;\r\n");
    const piped = spawn("/bin/sh", ["-c", `'${process.execPath}' '${binary}' shell --csv < ${file}`], { env: on.env });
    const [stdout, stderr, [status]] = await Promise.all([text(piped.stdout), text(piped.stderr), once(piped, "exit")]);
    expect({ stdout, status }).toEqual({ stdout: "n\n1\n\nn\n日本\n", status: 4 });
    expect(stderr).toMatch(/^<stdin>:2: error: .*colour.*\nline 2: select colour;\n +\^\n$/);
    const named = await quern(["query", "--file", file, "--csv"], on.env);
    expect(named.status).toBe(4);
    await writeFile(file, "select n from range(900000) t(n);\n".repeat(3));
    const command = `'${process.execPath}' '${binary}' shell --csv < ${file} | head -n 2`;
    expect(await promisify(execFile)("/bin/sh", ["-c", command], { env: on.env })).toEqual({
      stdout: "n\n0\n",
      stderr: "",
    });
  });

  it("SIGINT ends a shell on a pipe, and withdraws its run", async () => {
    const child = spawn(process.execPath, [binary, "shell"], { env: on.env, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.write(`${endless}\n`);
    await on.isRunning();
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
    expect(await on.endedState()).toBe("canceled");
  });
});
