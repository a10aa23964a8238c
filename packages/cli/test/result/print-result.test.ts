import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quernOn } from "../quern.ts";

const mock = createMockServer();
mock.when("select one").rows([{ n: 1 }]);
mock.when("select pages").rows(Array.from({ length: 1_234 }, (_, n) => ({ n })));
mock.when("select slow").after("1h");
let on: Awaited<ReturnType<typeof quernOn>>;
beforeAll(async () => {
  on = await quernOn(mock);
});
afterAll(() => on[Symbol.asyncDispose]());

const end = "\r\u001b[K";

describe("a result on a terminal", () => {
  it.each(["parquet", "arrow", "arrows"])("cannot be %s", async (format) => {
    const ended = await on.start(["query", "select one", "-F", format], { columns: 80 }).ended;
    expect(ended).toEqual({
      status: 2,
      stdout: "",
      stderr: `quern: cannot print ${format} on a terminal; name a file with --output, or write to a pipe\n`,
    });
    expect(mock.history.callsOf("createQueryRun")).toHaveLength(0);
  });

  it("has a line with the rows and the time below a table, and no line below another format", async () => {
    const table = await on.start(["query", "select pages", "--max-rows", "all"], { columns: 80 }).ended;
    expect(table.stderr.split(end).at(-1)).toMatch(/^1,234 rows in [\d.]+ s\n$/);
    expect(table.stdout.split("\n")).toHaveLength(1_237);
    const csv = await on.start(["query", "select one", "-F", "csv", "--no-progress"], { columns: 80 }).ended;
    expect(csv).toEqual({ status: 0, stdout: "n\n1\n", stderr: "" });
  });

  it("has the time of the wait for its rows, and not that of the process", async () => {
    const start = performance.now();
    const { stderr } = await on.start(["query", "select one"], { columns: 80 }).ended;
    const elapsedSeconds = (performance.now() - start) / 1_000;
    const seconds = Number(/^1 row in ([\d.]+) s$/m.exec(stderr.split(end).at(-1) ?? "")?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(0);
    // The time is rounded to a tenth.
    expect(seconds).toBeLessThanOrEqual(elapsedSeconds + 0.1);
  });

  it("takes one request if it is small, else pages for a table, and a download for another format", async () => {
    const methodsOf = async (name: string, format: string) => {
      const before = mock.history.calls.length;
      expect((await on.run(["query", `select ${name}`, "-F", format])).status).toBe(0);
      return mock.history.calls.slice(before).map(({ method }) => method);
    };
    for (const format of ["table", "csv", "jsonl"]) expect(await methodsOf("one", format)).toEqual(["createQueryRun"]);
    expect(await methodsOf("pages", "table")).toEqual(["createQueryRun"]); // the first page has up to 10,000 rows
    expect(await methodsOf("pages", "csv")).toEqual(["createQueryRun", "getQueryRunDownload"]);
  });

  it("says how to end a command that is stopping", async () => {
    const { stderr, signal, ended } = on.start(["query", "select slow"], { columns: 80 });
    stderr.on("data", (chunk) => String(chunk).includes(" queued") && signal("SIGINT"));
    const { status, stderr: shown } = await ended;
    expect(status).toBe(130);
    expect(shown.split(end)).toContain("stopping; press Ctrl-C again to end at once");
  });
});

describe("the name of a file of output", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "quern-names-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const written = async (name: string, ...words: readonly string[]) => {
    const file = join(folder, name);
    const ended = await on.run(["query", "select one", "-o", file, ...words]);
    const bytes = await readFile(file);
    expect(ended).toEqual({ status: 0, stdout: "", stderr: `wrote ${file}: ${bytes.length} bytes\n` });
    return bytes;
  };

  it("chooses the format and the compression, and a flag another format", async () => {
    expect(String(await written("one.csv"))).toBe("n\n1\n");
    expect(String(await written("one.md"))).toBe("| n |\n| ---: |\n| 1 |\n");
    expect(String(gunzipSync(await written("one.tsv.gz")))).toBe("n\n1\n");
    expect(String(zstdDecompressSync(await written("one.ndjson.zst")))).toBe('{"n":1}\n');
    expect(String(gunzipSync(await written("one.txt.gz", "-F", "json")))).toBe('[\n{"n":1}\n]\n');
    expect(String(await written("one"))).toBe('{"n":1}\n');
  });

  it("with an unknown extension is an error before the query starts", async () => {
    const before = mock.history.calls.length;
    const { status, stderr } = await on.run(["query", "select one", "-o", join(folder, "one.xlsx")]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^quern: unknown extension \.xlsx of .*; use one of \.csv, \.tsv, .*\.md, also with \.gz or \.zst after it, or choose the format with --format\n$/,
      ),
    ]);
    expect(mock.history.calls).toHaveLength(before);
    expect(await readdir(folder)).not.toContain("one.xlsx");
  });

  // Windows has no such files.
  it.runIf(process.platform !== "win32")("of a device or a pipe chooses no format", async () => {
    const pipe = join(folder, "pipe.tmp");
    execFileSync("mkfifo", [pipe]);
    const written = on.run(["query", "select one", "-o", pipe]);
    expect(await readFile(pipe, "utf8")).toBe('{"n":1}\n');
    const line = `wrote ${pipe}: 8 bytes; it is a pipe, so it was written directly\n`;
    expect(await written).toEqual({ status: 0, stdout: "", stderr: line });
    expect(await on.run(["query", "select one", "-o", "/dev/null"])).toEqual({
      status: 0,
      stdout: "",
      stderr: "wrote /dev/null: 8 bytes; it is a device, so it was written directly\n",
    });
  });

  it("can be - for stdout, but not empty", async () => {
    const stdout = await on.run(["query", "select one", "-o", "-"]);
    expect(stdout).toEqual({ status: 0, stdout: '{"n":1}\n', stderr: "" });
    for (const words of [
      ["-o", ""],
      ["--output", ""],
    ])
      expect(await on.run(["query", "select one", ...words])).toEqual({
        status: 2,
        stdout: "",
        stderr: 'quern: invalid --output: expected the name of a file, got ""\n',
      });
  });

  it("is not named on stderr with --json or --no-progress", async () => {
    for (const flag of ["--json", "--no-progress"]) {
      const ended = await on.run(["query", "select one", "-o", join(folder, "quiet.csv"), flag]);
      expect(ended).toEqual({ status: 0, stdout: "", stderr: "" });
    }
  });
});

describe("a result that an earlier query has created", () => {
  const reuse = ["query", "select one", "--max-age-minutes", "60"];

  it("is named on stderr, unless --json or --no-progress is set", async () => {
    await on.run(["query", "select one"]);
    expect(await on.run(reuse)).toEqual({
      status: 0,
      stdout: '{"n":1}\n',
      stderr: expect.stringMatching(/^reused run \S+, created at \d{4}-\d\d-\d\dT\S+Z\n$/),
    });
    for (const flag of ["--json", "--no-progress"]) expect((await on.run([...reuse, flag])).stderr).toBe("");
    expect((await on.run(["query", "select one"])).stderr).toBe("");
  });

  it("is named on a line of its own on a terminal", async () => {
    const { stderr } = await on.start(reuse, { columns: 80 }).ended;
    expect(stderr.split(end).some((text) => /^reused run \S+, created at \S+Z\n/.test(text))).toBe(true);
  });
});
