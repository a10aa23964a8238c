import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstLine, quern, startQuern } from "../quern.ts";

let dataDir: string;
let service: ReturnType<typeof startQuern>;
let url: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quern-administration-"));
  const config = join(dataDir, "quern.json");
  await writeFile(config, JSON.stringify({ port: 1, limits: { maxBatch: 2 } }));
  const env = { QUERN_API_KEY: "qk_first", QUERN_DATA_DIR: dataDir, QUERN_HOST: "127.0.0.1" };
  service = startQuern(["serve", "--config", config, "--port", "0", "--set", "limits.maxDepth=9", "--json"], env);
  url = JSON.parse(await firstLine(service)).url;
});
afterAll(async () => {
  service.signal("SIGTERM");
  await service.ended;
  await rm(dataDir, { recursive: true, force: true });
});

const place = () => ["--data-dir", dataDir];
const list = (key: string) => quern(["list-query-runs"], { QUERN_URL: url, QUERN_API_KEY: key });

describe("quern keys", () => {
  it("issues, lists, rotates and revokes keys beside the service", async () => {
    const words = ["--tenant", "acme", "--user", "ann", "--scopes", "run,read", "--expires", "90d"];
    const issued = await quern(["keys", "issue", ...words, ...place()]);
    expect(issued).toMatchObject({ status: 0, stderr: expect.stringMatching(/^key key_\w+, shown only once:\n$/) });
    const key = issued.stdout.trim();
    expect(await list(key)).toMatchObject({ status: 0 });

    const id = /key_\w+/.exec(issued.stderr)?.[0] ?? "";
    const rotated = JSON.parse((await quern(["keys", "rotate", id, "--json", ...place()])).stdout);
    expect(await list(key)).toMatchObject({ status: 3 });
    expect(await list(rotated.key)).toMatchObject({ status: 0 });
    expect(await quern(["keys", "revoke", rotated.id, ...place()])).toMatchObject({
      stdout: `revoked ${rotated.id}\n`,
    });
    expect(await list(rotated.key)).toMatchObject({ status: 3 });

    const { stdout } = await quern(["keys", "list", ...place(), "--format", "jsonl"]);
    const keys = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(keys).toMatchObject([
      { tenant: "tenant_first", state: "active" },
      { id, tenant: "acme", user: "ann", state: "revoked", scopes: "run,read", ends_with: key.slice(-4) },
      { id: rotated.id, tenant: "acme", user: "ann", state: "revoked", expires_at: keys[1].expires_at },
    ]);
    expect(stdout).not.toContain(key);
  });

  it("revokes all download links", async () => {
    expect(await quern(["keys", "revoke-links", ...place()])).toMatchObject({
      status: 0,
      stdout: "revoked all download links\n",
    });
  });

  it.each([
    [
      ["keys", "issue", "--scopes", "all"],
      "expected one or more scopes of run, read, cancel, tenant:admin, received all",
    ],
    [
      ["keys", "issue", "--expires", "soon"],
      'invalid --expires: expected a date, or a time such as 12h or 90d, got "soon"',
    ],
    [["keys", "revoke", "key_none"], "unknown key: key_none"],
    [["tenants", "set", "acme"], "missing limit; set one"],
  ])("%j is refused in one line", async (words, message) => {
    const { status, stderr } = await quern([...words, ...place()]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
  });
});

it("quern tenants and quern usage show limits and usage", async () => {
  expect(
    await quern(["tenants", "set", "blue", "--monthly-exec-seconds", "5", "--max-running-runs", "none", ...place()]),
  ).toMatchObject({ status: 0, stdout: "set blue\n" });
  const tenants = await quern(["tenants", "list", ...place(), "--format", "csv"]);
  expect(tenants.stdout).toMatch(/^blue,.*Z,,none,,,5$/m);
  const json = await quern(["tenants", "list", ...place(), "--json"]);
  expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ tenant: "blue", maxRunningRuns: "none" }));
  const set = await quern(["tenants", "set", "blue", "--max-running-runs", "none", ...place(), "--json"]);
  expect(JSON.parse(set.stdout)).toEqual({ set: ["blue"] });
  const usage = await quern(["usage", "--month", "2026-01", ...place(), "--format", "csv"]);
  expect(usage).toMatchObject({ status: 0, stdout: "month,tenant,user,query_exec_seconds,runs,rows,bytes_read\n" });
  for (const month of ["2026-13", "2026-1", "2026-111", "x2026-11"])
    expect(await quern(["usage", "--month", month, ...place()])).toMatchObject({ status: 2 });
});

it("quern sources add --run-as user creates a source on which users never share a run", async () => {
  const csv = join(dataDir, "people.csv");
  await writeFile(csv, "name\nAda\n");
  for (const [source, ...words] of [["shared"], ["own", "--run-as", "user"]])
    expect(await quern(["sources", "add", source ?? "", csv, ...words, ...place()])).toMatchObject({ status: 0 });
  const keys = await Promise.all(
    ["ann", "ben"].map((user) => quern(["keys", "issue", "--tenant", "green", "--user", user, ...place()])),
  );
  const triggered = async (source: string, { stdout }: { stdout: string }) => {
    const asked = ["--sql", "select * from people", "--data-source", source, "--max-age-minutes", "60", "--json"];
    const created = await quern(["create-query-run", ...asked], { QUERN_URL: url, QUERN_API_KEY: stdout.trim() });
    return JSON.parse(created.stdout).queryRequest.triggeredQueryRun;
  };
  for (const [source, both] of [
    ["shared", [true, false]],
    ["own", [true, true]],
  ] as const) {
    const told: boolean[] = [];
    for (const key of keys) told.push(await triggered(source, key));
    expect({ source, told }).toEqual({ source, told: both });
  }
});

it("quern sources add takes types of columns, and names a table after its file", async () => {
  const csv = join(dataDir, "hex-codes.csv");
  await writeFile(csv, "id,code\n1,0xaa\n");
  const add = (...words: string[]) => quern(["sources", "add", "codes", csv, ...words, ...place()]);
  expect(await add("--type", "code=VARCHAR", "--type", "id=DECIMAL(10,2)")).toMatchObject({
    status: 0,
    stdout: "loaded codes.main.hex_codes\n",
  });
  const list = await quern(["sources", "list", "codes", ...place(), "--json"]);
  expect(JSON.parse(list.stdout)).toEqual([
    {
      source: "codes",
      table: "codes.main.hex_codes",
      rows: 1,
      from: csv,
      loaded_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ]);
  expect(await quern(["sources", "check", "codes", ...place(), "--format", "csv"])).toMatchObject({
    status: 0,
    stdout: "source,table,rows,ok,problem\ncodes,codes.main.hex_codes,1,true,\n",
  });
  expect(await add("--all-text", "--as", "texts")).toMatchObject({ status: 0, stdout: "loaded codes.main.texts\n" });
  const key = await quern(["keys", "issue", "--tenant", "green", "--user", "ann", ...place()]);
  const sql = "select h.id::varchar, h.code, t.id from hex_codes h join texts t on t.code = h.code";
  const words = ["query", sql, "--data-source", "codes", "--format", "csv"];
  const read = await quern(words, { QUERN_URL: url, QUERN_API_KEY: key.stdout.trim() });
  expect(read.stdout.trim().split("\n").at(-1)).toBe("1.00,0xaa,1");

  for (const [flags, message] of [
    [["--type", "coed=VARCHAR", "--as", "a"], "Unknown column: coed; did you mean code?"],
    [["--type", "code=VARCHRA", "--as", "a"], "Invalid type of the column code: VARCHRA; did you mean VARCHAR?"],
    [["--type", "code", "--as", "a"], "expected key=value"],
    [["--type", "id=INT", "--type", "id=TEXT", "--as", "a"], "--type is given twice for the column id; give it once"],
    [[], "Name already in use in source codes: codes.main.hex_codes"],
  ] as const)
    expect(await add(...flags)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

describe("quern serve", () => {
  it("takes its settings from flags, environment and file", async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] };
    const post = (body: unknown) =>
      fetch(`${url}/json-rpc`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "qk_first" },
        body: JSON.stringify(body),
      }).then((response) => response.json());
    expect(await post([call, call])).toHaveLength(2);
    expect(await post([call, call, call])).toMatchObject({ error: { code: -32600 } });
    const deep = JSON.parse("[".repeat(9) + "]".repeat(9));
    expect(await post({ ...call, params: [{ tags: deep }] })).toMatchObject({ error: { code: -32600 } });
    expect(await readFile(join(dataDir, "audit.jsonl"), "utf8")).not.toContain("qk_first");
  });

  it("reports each invalid setting with its place", async () => {
    const { status, stderr } = await quern(["serve", "--set", "limits.maxBatch=many"], { QUERN_PORT: "http" });
    expect(status).toBe(2);
    expect(stderr).toContain('/port (QUERN_PORT): expected an integer, received "http"');
    expect(stderr).toContain('/limits/maxBatch (--set limits.maxBatch): expected an integer, received "many"');
  });
});

it.each([
  ["sources add", (csv: string) => ["sources", "add", "codes", csv]],
  ["keys issue", () => ["keys", "issue"]],
  ["tenants set", () => ["tenants", "set", "acme", "--max-running-runs", "2"]],
])("quern %s says that it creates a missing data directory", async (_, words) => {
  const csv = join(dataDir, "new.csv");
  await writeFile(csv, "id\n1\n");
  const folder = await mkdtemp(join(tmpdir(), "quern-new-"));
  const inFolder = (name: string, ...more: string[]) =>
    quern([...words(csv), "--data-dir", join(folder, name), ...more]);
  const note = `created the data directory ${join(folder, "new")}; if the service uses another one`;
  expect(await inFolder("new")).toMatchObject({ status: 0, stderr: expect.stringContaining(note) });
  expect((await inFolder("new", ...(words(csv)[0] === "sources" ? ["--as", "more"] : []))).stderr).not.toContain(
    "created",
  );
  expect((await inFolder("other", "--json")).stderr).toBe("");
  await rm(folder, { recursive: true });
});
