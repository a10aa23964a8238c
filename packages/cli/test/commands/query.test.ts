import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { quern, quernOn } from "../quern.ts";

const mock = createMockServer({ execute: ({ sql, parameters }) => [{ sql, parameters }] });
mock.when("select name from cars").rows([
  { name: "fiat 128", year: 1972 },
  { name: null, year: 1976 },
]);
mock.when("select bad").fails({ errorName: "BinderError", errorMessage: "there is no column\nbad (line 1, column 8)" });
mock.when("select many").rows(Array.from({ length: 200_000 }, (_, n) => ({ n })));
mock.when("select wide").rows([{ text: "x".repeat(4_000_000) }]);
mock.when("select long").rows([{ n: 1, text: "x".repeat(100) }]);
mock.when("select slow").after("1h");
/** Time limit of tests that start processes, which is slow on a busy machine. */
const patience = { timeout: 15_000, interval: 10 };
let on: Awaited<ReturnType<typeof quernOn>>;
beforeAll(async () => {
  on = await quernOn(mock);
});
afterAll(() => on[Symbol.asyncDispose]());

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "quern-query-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe("quern query", () => {
  it.each([
    [[], '{"name":"fiat 128","year":1972}\n{"name":null,"year":1976}\n'],
    [["--format", "table"], "name      year\n────────  ────\nfiat 128  1972\nNULL      1976\n"],
    [["-F", "csv"], "name,year\nfiat 128,1972\n,1976\n"],
    [["--json"], '[\n{"name":"fiat 128","year":1972},\n{"name":null,"year":1976}\n]\n'],
    [["--json", "-F", "csv"], "name,year\nfiat 128,1972\n,1976\n"],
    [["--format=json"], '[\n{"name":"fiat 128","year":1972},\n{"name":null,"year":1976}\n]\n'],
  ])("prints rows with %j", async (flags, stdout) => {
    expect(await on.run(["query", "select name from cars", ...flags])).toEqual({ status: 0, stdout, stderr: "" });
  });

  it.each([
    ["cars.csv", [], "name,year\n"],
    ["cars.JSON", [], "[\n"],
    ["cars.ndjson", [], '{"name"'],
    ["cars.csv", ["--json"], "[\n"],
    ["cars.csv", ["-F", "jsonl"], '{"name"'],
  ])("writes %s with %j in the form that its ending names, unless a flag does", async (name, flags, start) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, name);
    expect(await on.run(["query", "select name from cars", "-o", file, ...flags])).toMatchObject({ status: 0 });
    expect((await readFile(file, "utf8")).startsWith(start)).toBe(true);
  });

  it("reports a file that cannot be written, before it runs the statement", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "nowhere", "out.csv");
    const { path } = folder;
    expect(await on.run(["query", "select 1", "-o", file])).toEqual({
      status: 2,
      stdout: "",
      stderr: `quern: cannot write ${file}: the folder ${join(path, "nowhere")} does not exist; create it, or name another file\n`,
    });
    expect(await on.run(["query", "select 1", "-o", path])).toEqual({
      status: 2,
      stdout: "",
      stderr: `quern: cannot write ${path}: it is a folder; name a file in it\n`,
    });
  });

  it.each([
    ["", ["query", ""]],
    [" \n", ["query"]],
    ["", ["query", "-"]],
  ])("refuses a statement that is empty: %j to %j", async (stdin, words) => {
    expect(await on.run(words, stdin)).toEqual({
      status: 2,
      stdout: "",
      stderr: 'quern: missing statement; write `quern query "select 1"`, or send it to stdin\n',
    });
  });

  it("refuses a statement on stdin that is not UTF-8", async () => {
    expect(await on.run(["query", "-"], Buffer.from("select 'é'", "latin1"))).toEqual({
      status: 2,
      stdout: "",
      stderr: "quern: invalid statement on stdin: its bytes are not UTF-8; convert it, e.g. with iconv -t UTF-8\n",
    });
  });

  it.each([[["query"]], [["query", "-"]]])("reads the statement from stdin with %j", async (words) => {
    const { stdout } = await on.run(words, "select from stdin");
    expect(JSON.parse(stdout).sql).toBe("select from stdin");
  });

  it.each([
    [["--param", "origin=Europe", "-p", "year=1972"], { origin: "Europe", year: 1972 }],
    [
      ["-p", "2=b", "-p", "1=a"],
      ["a", "b"],
    ],
  ])("binds %j", async (words, parameters) => {
    const { stdout } = await on.run(["query", "select parameters", ...words]);
    expect(JSON.parse(stdout).parameters).toEqual(parameters);
  });

  it("takes a key from a file, and a URL from a flag", async () => {
    const file = join(tmpdir(), `quern-key-${process.pid}`);
    await writeFile(file, `${mock.apiKey}\n`);
    const { status } = await quern(["query", "select 1", "--api-key-file", file, "--url", on.env.QUERN_URL]);
    expect(status).toBe(0);
  });

  it("gives its reader all the time it takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { stdout, ended } = on.start(["query", "select wide", "--timeout-seconds", "20"]);
    stdout.once("data", () => vi.advanceTimersByTime(20_000));
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
    vi.useRealTimers();
  });

  it("stops quietly when its reader has enough", async () => {
    const { stdout, ended } = on.spawn(["query", "select name from cars"]);
    stdout.destroy();
    expect(await ended).toEqual({ status: 0, stderr: "" });
  });
});

describe("a query that goes wrong", () => {
  it.each([
    ["it fails", 4, ["select bad"], {}, /^quern: .*there is no column bad \(line 1, column 8\)/],
    ["there is no key", 3, ["select 1"], { QUERN_API_KEY: "" }, /^quern: missing API key; set QUERN_API_KEY/],
    ["the key is wrong", 3, ["select 1"], { QUERN_API_KEY: "wrong" }, /^quern: .*key.*; set QUERN_API_KEY/],
    [
      "the key file is missing",
      2,
      ["select 1", "--api-key-file", "/nowhere"],
      {},
      /^quern: cannot read the key file: /,
    ],
    [
      "the address is none",
      2,
      ["select 1", "--url", "localhost"],
      {},
      /^quern: invalid --url: expected an HTTP address such as .*, got "localhost"\n/,
    ],
    ["it asks for too much", 2, ["select 1", "--max-age-minutes", "-1"], {}, /^quern: .*maxAgeMinutes/],
    ["a flag is unknown", 2, ["select 1", "--formt", "csv"], {}, /^quern: .*--format/],
    ["a value is none", 2, ["select 1", "--format", "xml"], {}, /^quern: .*xml/],
    ["a parameter has no name", 2, ["select 1", "--param", "5"], {}, /^quern: .*key=value/],
    ["the words are too many", 2, ["select", "1"], {}, /^quern: /],
  ])("because %s exits with the code of its kind: %i", async (_, status, words, env, line) => {
    const ended = await quern(["query", ...words], { ...on.env, ...env });
    expect(ended).toMatchObject({ status, stdout: "", stderr: expect.stringMatching(line) });
    expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("because somebody else cancels it exits with 5", async () => {
    const { ended } = on.start(["query", "select slow"]);
    await expect.poll(async () => (await runs())[0]?.state, patience).toBe("QUERY_STATE_RUNNING");
    const [newest] = await runs();
    await on.run(["cancel-query-run", "--query-run-id", newest?.id ?? ""]);
    expect(await ended).toMatchObject({ status: 5, stdout: "", stderr: expect.stringMatching(/^quern: .*cancel/) });
  });

  it("after its timeout exits with 6, prints the timeout and withdraws the run", async () => {
    const { status, stdout, stderr } = await on.run(["query", "select slow", "--timeout-seconds", "0.3"]);
    const [newest] = await runs();
    const line = `quern: not done within 0.3 s. The query of run ${newest?.id} is withdrawn; allow more time with --timeout-seconds\n`;
    expect({ status, stdout, stderr }).toEqual({ status: 6, stdout: "", stderr: line });
    await expect.poll(async () => (await runs())[0]?.state, patience).toBe("QUERY_STATE_CANCELED");
  });

  it("without a service exits with 7", async () => {
    const noPause = vi.spyOn(Math, "random").mockReturnValue(0);
    const ended = await quern(["query", "select 1"], { ...on.env, QUERN_URL: "http://127.0.0.1:9" });
    noPause.mockRestore();
    expect(ended).toMatchObject({ status: 7, stdout: "", stderr: expect.stringMatching(/^quern: .*QUERN_URL.*\n$/) });
  });

  it("with an invalid answer exits with 1", async () => {
    const server = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // it listens on a port
    const ended = await quern(["query", "select 1"], { ...on.env, QUERN_URL: `http://127.0.0.1:${port}` });
    server.close();
    expect(ended).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^quern: .*QUERN_DEBUG/) });
  });

  it.each([
    [
      ["query", "select bad", "--json"],
      { kind: "failed", exitCode: 4, errorName: "BinderError", queryRunId: expect.any(String) },
    ],
    [["query", "--json", "--format", "xml"], { kind: "usage", exitCode: 2 }],
    [["quarry", "--json"], { kind: "usage", exitCode: 2 }],
  ])("is reported as JSON by %j", async (words, error) => {
    const { stderr, stdout } = await on.run(words);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject(error);
  });
});

describe("a stop signal", () => {
  it.each([
    ["SIGINT", 130, "interrupted."],
    ["SIGTERM", 143, "stopped by SIGTERM."],
    ["SIGHUP", 129, "stopped by SIGHUP."],
  ] as const)("%s withdraws the query, names the run and leaves no file", async (name, code, text) => {
    const folder = await mkdtemp(join(tmpdir(), "quern-stop-"));
    const before = await runs();
    const { signal, ended } = on.spawn(["query", "select slow", "--output", join(folder, "out.csv")]);
    await expect.poll(async () => (await runs()).length, patience).toBe(before.length + 1);
    expect(await readdir(folder)).toHaveLength(1);
    signal(name);
    const { status, stderr } = await ended;
    const [newest] = await runs();
    expect({ status, stderr }).toEqual({
      status: code,
      stderr: `quern: ${text} The query of run ${newest?.id} is withdrawn.\n`,
    });
    expect(newest?.state).toBe("QUERY_STATE_CANCELED");
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it("stops a result that is being printed, and names the command that prints it again", async () => {
    const { stdout, signal, ended } = on.start(["query", "select many", "--format", "csv"]);
    stdout.once("data", () => signal("SIGINT"));
    const { status, stdout: output, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 130, stderr: await printsAgain() });
    expect(output.split("\n").length).toBeLessThan(200_000);
  });

  it("ends a process whose reader has stopped reading", async () => {
    const { stdout, signal, ended } = on.spawn(["query", "select wide"]);
    await once(stdout, "readable");
    signal("SIGTERM");
    const { status, stderr } = await ended;
    expect({ status, stderr }).toEqual({
      status: 143,
      stderr: (await printsAgain()).replace("interrupted", "stopped by SIGTERM"),
    });
  });
});

describe("on a terminal", () => {
  it("a table fits, with the number of rows, the time and the columns that it lacks", async () => {
    const { stdout, stderr } = await on.start(["query", "select long"], { columns: 30 }).ended;
    expect(stdout).toBe("n  text\n─  ───────────────────────────\n1  xxxxxxxxxxxxxxxxxxxxxxxxxx…\n");
    expect(stderr.split("\r\u001b[K").at(-1)).toMatch(
      /^1 row in [\d.]+ s, some cells are shortened; --full prints them whole\n$/,
    );
    const narrow = await on.start(["query", "select long"], { columns: 6 }).ended;
    expect(narrow.stderr).toMatch(/1 row in [\d.]+ s, 1 of 2 columns; --full prints all\n$/);
  });

  it("--full and a pipe get the cells whole, and a pipe no line beside them", async () => {
    const whole = `n  ${"text".padEnd(100)}`.trimEnd();
    const full = await on.start(["query", "select long", "--full"], { columns: 30 }).ended;
    expect(full.stdout).toBe(`${whole}\n─  ${"─".repeat(100)}\n1  ${"x".repeat(100)}\n`);
    const piped = { columns: 30, isPiped: true };
    const { stdout, stderr } = await on.start(["query", "select long", "--format", "table"], piped).ended;
    expect({ stdout, stderr }).toEqual({ stdout: full.stdout, stderr: "" });
  });

  it("progress shows queued, then running, with the time", async () => {
    const { stderr, signal, ended } = on.start(["query", "select slow"], { columns: 80 });
    stderr.on("data", (chunk) => String(chunk).includes(" running") && signal("SIGINT"));
    await ended;
    const [newest] = await runs();
    const lines = (await ended).stderr.split("\r\u001b[K").filter((line) => line !== "");
    expect(lines[0]).toMatch(new RegExp(`^${newest?.id} queued, [\\d.]+ s$`));
    const running = new RegExp(`^${newest?.id} running, [\\d.]+ s$`);
    expect(lines.slice(1)).toContainEqual(expect.stringMatching(running));
  });
});

async function printsAgain(): Promise<string> {
  const [newest] = await runs();
  return `quern: interrupted. Run ${newest?.id} has ended: \`quern result ${newest?.id}\` prints its result.\n`;
}

async function runs(): Promise<{ readonly id: string; readonly state: string }[]> {
  const { stdout } = await on.run(["list-query-runs"]);
  return JSON.parse(stdout).queryRuns;
}
