import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { quern } from "../quern.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quern-engines-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const adapters = { QUERN_ADAPTERS: "absent=quern-absent" };
const sources = (...words: string[]) => quern(["sources", ...words, "--data-dir", dataDir], adapters);
const address = "postgres://reader@127.0.0.1:1/shop";

it("quern sources adds, lists, checks and removes a source of another engine, and stores no password", async () => {
  const file = join(dataDir, "password");
  await writeFile(file, "hunter2\n");
  const added = await sources("add", "shop", address, "--kind", "postgres", "--password-file", file);
  expect(added).toMatchObject({ status: 0, stderr: "" });
  const stored = await readFile(join(dataDir, "sources", "shop.json"), "utf8");
  expect(JSON.parse(stored)).toEqual({ kind: "postgres", address, password: { file } });
  expect((await sources("list", "--format", "csv")).stdout).toContain(`shop,,,${address},`);
  // Nothing listens on port 1.
  const checked = await sources("check", "shop", "--format", "csv");
  expect(checked.status).not.toBe(0);
  expect(checked.stdout).toMatch(/shop,SELECT 1,,false,.*ECONNREFUSED/);
  expect(JSON.stringify(checked)).not.toContain("hunter2");
  expect(await sources("remove", "shop")).toMatchObject({ status: 0 });
  expect((await sources("list", "--format", "csv")).stdout).not.toContain("shop");
});

it.each([
  ["a password in the address", ["postgres://a:hunter2@b/c", "--kind", "postgres"], "the address contains a password"],
  ["an address without //", ["postgres:/a:hunter2@b/c", "--kind", "postgres"], "the address contains a password"],
  [
    "a malformed address",
    ["postgres://a:hunter2@b c/d", "--kind", "postgres"],
    "write it as postgres://user@host:port",
  ],
  ["an address of no known kind", ["mysql://a:hunter2@b/c"], "Unknown kind of address: mysql://…; expected a path"],
  ["an address without // to copy", ["postgres:/a:hunter2@b/c"], "write it as postgres://user@host:port/database"],
  ["a missing package", ["clickhouse://a@b/c", "--kind", "absent"], "install it: npm install quern-absent"],
  ["an unknown kind", ["mysql://a@b/c", "--kind", "postgre"], "Did you mean postgres?"],
  ["an address of another engine", ["mysql://a@b/c", "--kind", "postgres"], "Invalid URL of a PostgreSQL database"],
  ["flags of tables", [address, "--kind", "postgres", "--as", "crm"], "--as, --table"],
  ["a password of loaded tables", [address, "--password-file", "x"], "add --kind, or set PGPASSWORD"],
  ["a variable of a setting", [address, "--kind", "postgres", "--password-variable", "QUERN_X"], "without QUERN_"],
])("quern sources add refuses %s in one line, without a secret", async (_, words, message) => {
  const { status, stderr } = await sources("add", "shop", ...words);
  expect(status).not.toBe(0);
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).not.toContain("hunter2");
});

it("quern sources add refuses the name of a source with loaded tables, and tables for one of another engine", async () => {
  const csv = join(dataDir, "codes.csv");
  await writeFile(csv, "code\n1\n");
  await mkdir(join(dataDir, "sources"), { recursive: true });
  expect(await sources("add", "codes", csv)).toMatchObject({ status: 0 });
  expect((await sources("add", "codes", address, "--kind", "postgres")).stderr).toContain("already in use");
  expect(await sources("add", "shop", address, "--kind", "postgres")).toMatchObject({ status: 0 });
  expect((await sources("add", "shop", csv)).stderr).toContain("already in use");
  expect((await sources("load", "shop")).stderr).toContain("is queried in place");
});

it("quern sources add keeps the identity of the statements of a source that it changes", async () => {
  const add = (...words: string[]) => sources("add", "lake", "trino://reader@127.0.0.1:1/hive?SSL=true", ...words);
  const runAs = async () => JSON.parse(await readFile(join(dataDir, "sources", "lake.json"), "utf8")).runAs;
  expect((await add("--run-as", "user")).stderr).toContain("write {tenant} beside {user}");
  expect(await add("--run-as", "user", "--tenant", "acme")).toMatchObject({ status: 0 });
  expect(await add("--password-variable", "LAKE_PASSWORD", "--tenant", "acme")).toMatchObject({ status: 0 });
  expect(await runAs()).toBe("user");
  expect(await add("--run-as", "fixed")).toMatchObject({ status: 0 });
  expect(await runAs()).toBe("fixed");
});

it("quern sources add checks a source that it changes with the identity that the source keeps", async () => {
  const add = (user: string, ...words: string[]) =>
    sources("add", "shop", `postgres://${user}@127.0.0.1:1/shop`, "--kind", "postgres", ...words);
  expect(await add("{tenant}.{user}", "--run-as", "user")).toMatchObject({ status: 0 });
  expect(await add("writer_{tenant}.{user}")).toMatchObject({ status: 0 });
  const refused = await add("reader");
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain("{user}");
  const stored = JSON.parse(await readFile(join(dataDir, "sources", "shop.json"), "utf8"));
  expect(stored).toMatchObject({ address: "postgres://writer_{tenant}.{user}@127.0.0.1:1/shop", runAs: "user" });
});

it("quern sources refuses settings with a list of data sources, which the service uses alone", async () => {
  const config = join(dataDir, "settings.json");
  await writeFile(config, JSON.stringify({ sources: [{ name: "live", provider: "p", kind: "postgres", address }] }));
  for (const words of [["add", "shop", address, "--kind", "postgres"], ["list"], ["check"], ["remove", "live"]])
    expect(await sources(...words, "--config", config)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/^quern: the setting sources lists .* remove it to use this command\n$/),
    });
});
