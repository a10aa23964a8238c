import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
      stdout: "n  word       amount\n─  ────  ───────────\n1  één          12.5\n2  NULL  10000000000\n",
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
