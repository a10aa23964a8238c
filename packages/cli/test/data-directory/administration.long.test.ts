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
    [
      ["keys", "issue", "--expires", "45"],
      'invalid --expires: expected a date, or a time such as 12h or 90d, got "45"',
    ],
    [
      ["keys", "issue", "--network", "10.0.0.0/33"],
      'expected a network such as 10.0.0.0/8 or 2001:db8::/32, received "10.0.0.0/33"',
    ],
    [["keys", "revoke", "key_none"], "unknown key: key_none"],
    [["keys", "revoke", "qk_secret"], "expected the id of a key, received a key; `quern keys list` prints the ids"],
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
  expect(tenants.stdout).toMatch(/^blue,.*Z,0,,none,,,5,$/m);
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
    const reported: boolean[] = [];
    for (const key of keys) reported.push(await triggered(source, key));
    expect({ source, reported }).toEqual({ source, reported: both });
  }
});

it("quern sources add takes types of columns, and names a table after its file", async () => {
  const csv = join(dataDir, "hex-codes.csv");
  await writeFile(csv, "id,code\n1,0xaa\n");
  const add = (...words: string[]) => quern(["sources", "add", "codes", csv, ...words, ...place()]);
  expect(await add("--type", "code=VARCHAR", "--type", "id=DECIMAL(10,2)")).toMatchObject({
    status: 0,
    stdout: "loaded codes.main.hex_codes: 1 row, 2 columns\n",
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
  expect(await add("--all-text", "--as", "texts")).toMatchObject({
    status: 0,
    stdout: "loaded codes.main.texts: 1 row, 2 columns\n",
  });
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

describe("quern audit verify", () => {
  it("checks the audit log beside the service, and exits with 1 for a changed line", async () => {
    await quern(["keys", "issue", "--user", "ann", ...place()]);
    await quern(["keys", "issue", "--user", "bob", ...place()]);
    const intact = await quern(["audit", "verify", ...place()]);
    expect(intact).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^1 file, \d+ lines, 0 faults\nlast line: \d+, SHA-256 [0-9a-f]{64}\n$/),
    });
    const hash = /[0-9a-f]{64}/.exec(intact.stdout)?.[0] ?? "";
    const changed = join(dataDir, "changed.jsonl");
    const text = await readFile(join(dataDir, "audit.jsonl"), "utf8");
    await writeFile(changed, text.replace('"userId":"ann"', '"userId":"eve"'));
    const found = await quern(["audit", "verify", "--file", changed, "--expect", hash]);
    expect(found).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^changed\.jsonl:\d+: changed: line \d+ has/),
    });
    const json = await quern(["audit", "verify", "--json", "--file", changed]);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([
      1,
      { isIntact: false, faults: [{ fault: "changed" }] },
    ]);
    const other = await quern(["audit", "verify", ...place(), "--expect", "0".repeat(64)]);
    expect(other).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("missing: no line has the expected hash"),
    });
  });

  it("says that there may be more faults than it lists", async () => {
    const [line = ""] = (await readFile(join(dataDir, "audit.jsonl"), "utf8")).split("\n");
    const repeated = join(dataDir, "repeated.jsonl");
    await writeFile(repeated, `${line}\n`.repeat(102));
    const { status, stdout } = await quern(["audit", "verify", "--file", repeated]);
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringContaining("1 file, 102 lines, 100 or more faults\n"),
    });
  });

  it("exits with 2 without an audit log", async () => {
    const { status, stderr } = await quern(["audit", "verify", "--data-dir", join(dataDir, "none")]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("no audit log in") });
  });
});

describe("quern erase", () => {
  it("erases the runs of a user beside the service, and says what is kept", async () => {
    const key = (await quern(["keys", "issue", "--tenant", "acme", "--user", "eve", ...place()])).stdout.trim();
    const sql = "select 'word of eve' as word";
    expect(await quern(["query", sql], { QUERN_URL: url, QUERN_API_KEY: key })).toMatchObject({ status: 0 });
    expect(await readFile(join(dataDir, "quern.db-wal"), "latin1")).toContain("word of eve");
    expect(await quern(["erase", "--tenant", "acme", "--user", "eve", ...place()])).toEqual({
      status: 0,
      stdout: "erased runs: 1\nerased statements: 1\nruns kept for other users: 0\n",
      stderr: "active keys of eve: 1; revoke them with `quern keys revoke`, and erase again\n",
    });
    for (const file of ["quern.db", "quern.db-wal"])
      expect(await readFile(join(dataDir, file), "latin1")).not.toContain("word of eve");
    const again = await quern(["erase", "--tenant", "acme", "--user", "eve", "--json", ...place()]);
    expect([JSON.parse(again.stdout), again.stderr]).toEqual([
      { runs: 0, executingRuns: 0, sharedRuns: 0, statements: 0, activeKeys: 1 },
      "",
    ]);
  });

  it("says where it has found nothing, because a name may be a mistake", async () => {
    expect(await quern(["erase", "--tenant", "acme", "--user", "eva", ...place()])).toMatchObject({
      status: 0,
      stderr: "no run of eva in tenant acme; if you expected some, check the names, which `quern usage` prints\n",
    });
  });

  it("is refused without a user", async () => {
    const { status, stderr } = await quern(["erase", ...place()]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^quern: .*--user.*\n$/) });
  });
});
