import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noSuchMethod, startFront } from "./front.ts";
import { firstLine, quern, spawnQuern } from "./quern.ts";

const apiKey = "qk_service_test_0123456789";
let dataDir: string;
let service: ReturnType<typeof spawnQuern>;
let env: Record<string, string>;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quern-service-"));
  service = spawnQuern(["serve", "--port", "0", "--data-dir", dataDir, "--json"], { QUERN_API_KEY: apiKey });
  env = { QUERN_URL: JSON.parse(await firstLine(service)).url, QUERN_API_KEY: apiKey };
});
afterAll(async () => {
  service?.signal("SIGTERM");
  await service?.ended;
  await rm(dataDir, { recursive: true, force: true });
});

async function startedRun(sql: string): Promise<string> {
  const { stdout } = await quern(["create-query-run", "--sql", sql], env);
  return JSON.parse(stdout).queryRun.id;
}

describe("on the service", () => {
  it("a query prints the result of the engine", async () => {
    const sql = "select * from (values (1, 'één', 12.5), (2, null, 1e10)) t(n, word, amount) where n >= $least";
    expect(await quern(["query", sql, "--param", "least=1", "--format", "table"], env)).toEqual({
      status: 0,
      stdout: "n  word         amount\n─  ────  ─────────────\n1  één            12.5\n2  NULL  10000000000.0\n",
      stderr: "",
    });
  });

  it("the names that the engine suggests are in the error", async () => {
    const { stderr } = await quern(["query", "select colour from (select 1 as color)"], env);
    expect(stderr).toMatch(/; did you mean .*color.*\?\n$/);
  });

  it.each(["csv", "json", "jsonl"])("a result has the same bytes by download and by pages: %s", async (format) => {
    const run =
      await startedRun(`select n, n::hugeint * 1000000007 * 1000000007 as large, 'row ' || n as "Text", n % 2 = 0 as even,
      case n % 4 when 0 then null when 1 then '' when 2 then 'a "b", c' else 'two' || chr(10) || chr(9) || '日本/' || chr(8232) || chr(1) || chr(127) || '\\' end as text,
      timestamp '2026-11-20 09:30:00' + n * interval 1 second as moment, date '2026-11-20' + n::int as day,
      [n, null] as list, {'k': n, 'l': 'x"y'} as pair, '\\x00\\xFF'::blob as bytes
      from range(11000) t(n)`);
    let calls: readonly string[] = [];
    const by = async (hasDownload: boolean) => {
      await using front = await startFront(env.QUERN_URL ?? "", (method) =>
        method === "getQueryRunDownload" && !hasDownload ? noSuchMethod : undefined,
      );
      const { stdout, stderr } = await quern(["result", run, "--format", format], { ...env, QUERN_URL: front.url });
      ({ calls } = front);
      return { stdout, stderr };
    };
    const pages = await by(false);
    expect(pages.stderr).toBe("");
    expect(calls.filter((method) => method === "getQueryRunResults").length).toBeGreaterThan(1);
    const download = await by(true);
    expect(calls.filter((method) => method === "getQueryRunResults").length).toBeLessThanOrEqual(1);
    expect(download.stdout.length).toBeGreaterThan(1_000_000);
    expect(download.stdout === pages.stdout).toBe(true);
    expect([download.stderr, pages.stderr]).toEqual(["", ""]);
  });

  it.each(["csv", "json", "jsonl"])(
    "a small query takes one request, and has the bytes of its download: %s",
    async (format) => {
      const sql = `select n, n / 3 as third, 1e20 * n as large, case n when 1 then 'nan' else 'inf' end::double as odd,
      12.50::decimal(9, 2) as amount, null as nothing, [n] as list, 'a' as a, 'b' as "A" from range(3) t(n)`;
      const run = await startedRun(sql);
      await using front = await startFront(env.QUERN_URL ?? "", () => undefined);
      const words = ["query", sql, "--format", format, "--max-age-minutes", "60"];
      const { stderr, ...query } = await quern(words, { ...env, QUERN_URL: front.url });
      expect(front.calls).toEqual(["createQueryRun"]);
      expect(stderr).toMatch(/^reused run run_\S+, created at \S+Z\n$/);
      expect({ ...query, stderr: "" }).toEqual(await quern(["result", run, "--format", format], env));
    },
  );

  it("a large result comes whole, by one download", async () => {
    await using front = await startFront(env.QUERN_URL ?? "", () => undefined);
    const words = ["query", "select n from range(50000) t(n)", "--format", "csv"];
    const { status, stdout } = await quern(words, { ...env, QUERN_URL: front.url });
    const lines = stdout.trimEnd().split("\n");
    expect({ status, first: lines[1], last: lines.at(-1), count: lines.length }).toEqual({
      status: 0,
      first: "0",
      last: "49999",
      count: 50_001,
    });
    expect(front.calls.filter((method) => method === "getQueryRunDownload")).toHaveLength(1);
    expect(front.calls.filter((method) => method === "getQueryRunResults").length).toBeLessThanOrEqual(1);
  });

  it.each(["parquet", "arrow", "arrows"] as const)(
    "a whole result comes as %s, into a file and into a pipe",
    async (format) => {
      const file = join(dataDir, `numbers.${format}`);
      const words = ["query", "select n, 'x' as \"N\" from range(50000) t(n)", "--format", format];
      expect(await quern([...words, "--output", file, "--no-progress"], env)).toEqual({
        status: 0,
        stdout: "",
        stderr: "",
      });
      const { stdout, ended } = spawnQuern(words, env);
      const [piped, { status }] = await Promise.all([buffer(stdout), ended]);
      expect(status).toBe(0);
      expect(await readFile(file)).toEqual(piped);
      expect((await readdir(dataDir)).filter((name) => name.includes(".part"))).toEqual([]);
      // Magic bytes at both ends of a complete file.
      const ends = [piped.subarray(0, 4).toString("hex"), piped.subarray(-4).toString("hex")];
      const marks = { parquet: ["PAR1", "PAR1"], arrow: ["ARRO", "ROW1"], arrows: ["\xff\xff\xff\xff", "\0\0\0\0"] };
      expect(ends).toEqual(marks[format].map((mark) => Buffer.from(mark, "latin1").toString("hex")));
    },
  );

  it("a result that came as Parquet can be loaded as a table", async () => {
    const file = join(dataDir, "squares.parquet");
    await quern(["query", "select n, n * n as square from range(1000) t(n)", "-F", "parquet", "-o", file], env);
    expect(await quern(["sources", "add", "mine", file, "--data-dir", dataDir], env)).toMatchObject({ status: 0 });
    const sql = "select count(*) as n, max(square) as most from squares";
    const { stdout } = await quern(["query", sql, "--data-source", "mine", "-F", "csv"], env);
    expect(stdout).toBe("n,most\n1000,998001\n");
  });

  it("a file of output is there once it is whole, and an older one stays until then", async () => {
    const file = join(dataDir, "out.csv");
    const write = (sql: string) => quern(["query", sql, "--format", "csv", "--output", file], env);
    expect(await write("select 1 as n")).toEqual({ status: 0, stdout: "", stderr: `wrote ${file}: 4 bytes\n` });
    expect(await write("select colour")).toMatchObject({ status: 4 });
    expect(await readFile(file, "utf8")).toBe("n\n1\n");
    expect((await readdir(dataDir)).filter((name) => name.includes(".part"))).toEqual([]);
    const nowhere = await quern(["query", "select 1", "-o", join(dataDir, "nowhere", "out.csv")], env);
    expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringMatching(/^quern: cannot write /) });
  });

  it("invalid SQL exits with 4 and prints the position of the fault", async () => {
    const ended = await quern(["query", "select colour\nfrom (select 1 as color)"], env);
    expect(ended).toMatchObject({
      status: 4,
      stdout: "",
      stderr: expect.stringMatching(/^quern: .*colour.*line 1.*\n$/),
    });
  });

  it("a statement is described by its method's command", async () => {
    const { stdout } = await quern(["describe-query", "--sql", "select 1 as n, $word as word"], env);
    expect(JSON.parse(stdout)).toMatchObject({
      columns: [{ name: "n" }, { name: "word" }],
      parameters: [{ name: "word" }],
    });
  });

  it("tables are listed, described, summarized and explained by short commands", async () => {
    const file = join(dataDir, "towns.csv");
    await writeFile(file, "name,people\nBern,134794\n,7\n");
    expect(await quern(["sources", "add", "atlas", file, "--data-dir", dataDir], env)).toMatchObject({ status: 0 });
    const onAtlas = (...words: string[]) => quern([...words, "--data-source", "atlas"], env);
    expect((await onAtlas("tables", "town*", "--csv", "--no-header")).stdout).toMatch(
      /^towns,main,atlas,atlas,2,2,\n$/,
    );
    expect((await onAtlas("describe", "towns", "--csv")).stdout).toBe(
      "name,type,nullable,key,comment\nname,VARCHAR,true,,\npeople,BIGINT,true,,\n",
    );
    const statement = await onAtlas("describe", "select people / 2 as half from towns", "-F", "tsv");
    expect(statement.stdout).toMatch(/^name\ttype\tnullable\nhalf\tDOUBLE\t/);
    expect((await onAtlas("explain", "select * from towns where people > 9")).stdout).toMatch(/^┌─.*\n[\s\S]*SEQ_SCAN/);
    const summary = await onAtlas("summarize", "towns", "-F", "vertical", "--null", "-");
    expect(summary.stdout).toMatch(/^── row 1 ──\ncolumn_name {6}name\n[\s\S]*avg {14}-\n/);
    expect((await onAtlas("from towns", "--csv", "--null", "-")).stdout).toBe("name,people\nBern,134794\n-,7\n");
  });

  it("a file of statements with Windows line ends runs whole, and its runs are listed with their SQL", async () => {
    const file = join(dataDir, "report.sql");
    await writeFile(file, "-- a; b\r\nselect 'x;y' as b;\r\nselect nope;\r\nselect $$c;d$$ as e; -- end\r\n");
    const { status, stdout, stderr } = await quern(["--file", file, "-F", "tsv", "--tag", "file=report"], env);
    expect({ status, stdout }).toEqual({ status: 4, stdout: "b\nx;y\n\n\ne\nc;d\n" });
    expect(stderr).toMatch(/^quern: statement 2 of 3 \(line 3\): .*nope.*\n$/);
    const list = await quern(["runs", "list", "--sql", "--tag", "file=report", "--json"], env);
    const texts = JSON.parse(list.stdout).map(({ sql }: { readonly sql: string }) => sql);
    expect(texts).toEqual(["select $$c;d$$ as e", "select nope", "select 'x;y' as b"]);
    expect((await quern(["result", "--last", "-F", "tsv"], env)).stdout).toBe("e\nc;d\n");
  });

  it("a wrong key exits with 3", async () => {
    expect(await quern(["query", "select 1"], { ...env, QUERN_API_KEY: "qk_wrong" })).toMatchObject({ status: 3 });
  });
});
