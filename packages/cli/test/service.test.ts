import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("on the service", () => {
  it("a query prints what the engine says", async () => {
    const sql = "select * from (values (1, 'één', 12.5), (2, null, 1e10)) t(n, word, amount) where n >= $least";
    expect(await quern(["query", sql, "--param", "least=1", "--format", "table"], env)).toEqual({
      status: 0,
      stdout: "n  word         amount\n─  ────  ─────────────\n1  één            12.5\n2  NULL  10000000000.0\n",
      stderr: "",
    });
  });

  it("a large result comes whole", async () => {
    const { status, stdout } = await quern(["query", "select n from range(50000) t(n)", "--format", "csv"], env);
    const lines = stdout.trimEnd().split("\n");
    expect({ status, first: lines[1], last: lines.at(-1), count: lines.length }).toEqual({
      status: 0,
      first: "0",
      last: "49999",
      count: 50_001,
    });
  });

  it.each(["parquet", "arrow"])("a whole result comes as %s, into a file and into a pipe", async (format) => {
    const file = join(dataDir, `numbers.${format}`);
    const words = ["query", "select n, 'x' as \"N\" from range(50000) t(n)", "--format", format];
    expect(await quern([...words, "-o", file], env)).toEqual({ status: 0, stdout: "", stderr: "" });
    const { stdout, ended } = spawnQuern(words, env);
    const [piped, { status }] = await Promise.all([buffer(stdout), ended]);
    expect(status).toBe(0);
    expect(await readFile(file)).toEqual(piped);
    expect((await readdir(dataDir)).filter((name) => name.includes(".part"))).toEqual([]);
    // The marks at the ends of a whole file.
    const ends = [piped.subarray(0, 4).toString("hex"), piped.subarray(-4).toString("hex")];
    expect(ends).toEqual(format === "arrow" ? ["ffffffff", "00000000"] : ["50415231", "50415231"]);
  });

  it("a result that came as Parquet can be loaded as a table", async () => {
    const file = join(dataDir, "squares.parquet");
    await quern(["query", "select n, n * n as square from range(1000) t(n)", "-f", "parquet", "-o", file], env);
    expect(await quern(["sources", "add", "mine", file, "--data-dir", dataDir], env)).toMatchObject({ status: 0 });
    const sql = "select count(*) as n, max(square) as most from squares";
    const { stdout } = await quern(["query", sql, "--data-source", "mine", "-f", "csv"], env);
    expect(stdout).toBe("n,most\n1000,998001\n");
  });

  it("a file of output is there once it is whole, and an older one stays until then", async () => {
    const file = join(dataDir, "out.csv");
    const write = (sql: string) => quern(["query", sql, "--format", "csv", "--output", file], env);
    expect(await write("select 1 as n")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(await write("select colour")).toMatchObject({ status: 4 });
    expect(await readFile(file, "utf8")).toBe("n\n1\n");
    expect((await readdir(dataDir)).filter((name) => name.includes(".part"))).toEqual([]);
    const nowhere = await quern(["query", "select 1", "-o", join(dataDir, "nowhere", "out.csv")], env);
    expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringMatching(/^quern: the output cannot be written/) });
  });

  it("wrong SQL exits with 4 and says where the fault is", async () => {
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

  it("a wrong key exits with 3", async () => {
    expect(await quern(["query", "select 1"], { ...env, QUERN_API_KEY: "qk_wrong" })).toMatchObject({ status: 3 });
  });
});
