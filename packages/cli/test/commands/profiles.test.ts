import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { binary, quern, quernOn } from "../quern.ts";

const mock = createMockServer();
mock.when("select one").rows([{ n: 1 }]);
const home = await mkdtemp(join(tmpdir(), "quern-profiles-"));
const folder = join(home, ".config", "quern");
const config = join(folder, "config.toml");
const env = { HOME: home, APPDATA: join(home, ".config") };
let url: string;
let on: Awaited<ReturnType<typeof quernOn>>;

beforeAll(async () => {
  on = await quernOn(mock);
  url = on.env.QUERN_URL;
});
afterAll(() => on[Symbol.asyncDispose]());
beforeEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
});
afterAll(() => rm(home, { recursive: true }));

const login = (words: readonly string[], key = `${mock.apiKey}\n`, more = {}) =>
  quern(["login", "--api-key-stdin", "--no-keyring", ...words], { ...env, ...more }, key);
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
const settingsOf = async (words: readonly string[], more = {}) => {
  const { stdout } = await quern(["profiles", "show", ...words, "--json"], { ...env, ...more });
  const rows: readonly { setting: string; value: unknown; origin: unknown }[] = JSON.parse(stdout);
  return Object.fromEntries(rows.map(({ setting, value, origin }) => [setting, [value, origin]]));
};

const row = { status: 0, stdout: '{"n":1}\n', stderr: "" };
const query = (words: readonly string[] = [], more = {}) =>
  quern(["query", "select one", ...words], { ...env, ...more });
const failure = (status: number, stderr: RegExp) => ({ status, stdout: "", stderr: expect.stringMatching(stderr) });

const itWithModes = it.skipIf(process.platform === "win32"); // Windows has no modes of files
const itOnLinux = it.skipIf(process.platform !== "linux"); // others have a keyring in each session

describe("quern login", () => {
  it("tests the key, and keeps it in files that the user alone can read", async () => {
    await rm(folder, { recursive: true });
    const { stdout, stderr, status } = await login(["--url", `${url}/`]);
    const keyFile = join(folder, "default.key");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`logged in to ${url} as profile default; the key is in ${keyFile}\n`);
    expect(await readFile(config, "utf8")).toBe(
      `default_profile = "default"\n\n[profiles.default]\nurl = "${url}"\napi_key_file = "default.key"\n`,
    );
    expect(await readFile(keyFile, "utf8")).toBe(`${mock.apiKey}\n`);
    if (process.platform !== "win32")
      expect([await modeOf(folder), await modeOf(config), await modeOf(keyFile)]).toEqual(["700", "600", "600"]);
    expect(await query()).toEqual(row);
    expect(await quern(["list-query-runs", "--limit", "1"], env)).toMatchObject({ status: 0 });
  });

  it("keeps nothing if the service refuses the key or cannot be called", async () => {
    expect(await login(["--url", url], "wrong\n")).toEqual(failure(3, /^quern: .*does not accept this key/));
    expect(await login(["--url", "http://127.0.0.1:1"])).toEqual(failure(7, /^quern: /));
    expect(await login(["--url", url], "two words\n")).toEqual(
      failure(2, /^quern: invalid API key: expected one line/),
    );
    expect(await login(["--url", url], "\n")).toEqual(failure(3, /^quern: missing API key: nothing was entered/));
    expect(await login(["--url", url, "--profile", "a.b"])).toEqual(failure(2, /^quern: invalid profile: /));
    expect(await login([])).toEqual(failure(2, /^quern: missing address: stdin is no terminal; pass --url\n$/));
    const { stderr } = await quern(["login", "--url", url], env);
    expect(stderr).toBe("quern: missing key: stdin is no terminal; pass --api-key-stdin to read it from stdin\n");
    expect(await readdir(folder)).toEqual([]);
  });

  itWithModes("changes a profile in a linked file, and keeps comments, members and the mode", async () => {
    const target = join(home, "dotfiles.toml");
    const before = `# mine\n[profiles.prod] # p\nurl = "${url}" # u\napi_key = "old"\nsource = "s"\n`;
    await writeFile(target, before);
    await chmod(target, 0o640);
    await symlink(target, config);
    expect(await login(["--profile", "prod", "--json"])).toMatchObject({
      stdout: `${JSON.stringify({ profile: "prod", url, key: join(folder, "prod.key"), config })}\n`,
    });
    expect(await readFile(target, "utf8")).toBe(
      `default_profile = "prod"\n\n${before.replace('api_key = "old"\n', "")}api_key_file = "prod.key"\n`,
    );
    expect(await modeOf(target)).toBe("640");
    await rm(target);
  });

  it("refuses a file in a form that only a person can edit, and a name that differs only in case", async () => {
    const inline = `[profiles]\nprod = { url = "${url}" }\n`;
    await writeFile(config, inline);
    expect(await login(["--profile", "prod"])).toEqual(failure(2, /^quern: cannot change .*; edit it\n$/));
    expect(await login(["--profile", "Prod"])).toEqual(failure(2, /^quern: .* differs from prod only in case/));
    expect(await readFile(config, "utf8")).toBe(inline);
  });

  itOnLinux("says that there is no keyring, and keeps the key in a file", async () => {
    // A session bus that does not exist: the command does not find a keyring that this machine has.
    const bus = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/none" };
    const child = spawn(process.execPath, [binary, "login", "--url", url, "--api-key-stdin"], {
      env: { ...env, ...bus },
    });
    child.stdin.end(mock.apiKey);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stdout).toMatch(/^logged in to .* as profile default; the key is in .*default\.key\n$/);
    expect(stderr).toBe("quern: this system has no keyring that can be used, so the key is in a file\n");
  });
});

describe("a profile", () => {
  const write = (content: string, mode = 0o600) => writeFile(config, content).then(() => chmod(config, mode));
  const profile = (members: string) => write(`[profiles.a]\nurl = "${url}"\n${members}`);

  async function newestSource(): Promise<unknown> {
    const { stdout } = await quern(["runs", "list", "--limit", "1", "--json"], on.env);
    return JSON.parse(stdout)[0].data_source;
  }

  it("has its key in itself, in a file or from a command", async () => {
    await profile(`api_key = "${mock.apiKey}"`);
    expect(await query(["--profile", "a"])).toEqual(row);
    expect(await query([], { QUERN_PROFILE: "a" })).toEqual(row);
    await profile('api_key_file = "~/a.key"');
    await writeFile(join(home, "a.key"), `${mock.apiKey}\n`);
    expect(await query(["--profile", "a"])).toEqual(row);
    const code = "fs.appendFileSync(process.env.COUNT, '1'); console.log(process.env.KEY)";
    await profile(`api_key_command = ${JSON.stringify([process.execPath, "--eval", code])}`);
    const more = { ...env, KEY: mock.apiKey, COUNT: join(home, "count") };
    const two = await quern(["query", "--profile", "a", "select one; select one"], more);
    expect(two).toEqual({ ...row, stdout: row.stdout.repeat(2) });
    expect(await readFile(join(home, "count"), "utf8")).toBe("1");
  });

  it("can be named before a command, too", async () => {
    await profile(`api_key = "${mock.apiKey}"\nformat = "csv"`);
    const csv = { ...row, stdout: "n\n1\n" };
    expect(await quern(["--profile", "a", "query", "select one"], env)).toEqual(csv);
    expect(await quern(["--profile=a", "query", "--", "select one"], env)).toEqual(csv);
    expect(await quern(["--profile", "a", "--json", "-c", "select one"], env)).toMatchObject({
      stdout: '[\n{"n":1}\n]\n',
    });
    expect(await quern(["--profile", "a", "runs", "list", "--limit", "1", "--ids"], env)).toMatchObject({ status: 0 });
    expect(await quern(["--profile", "a"], env)).toMatchObject({ status: 2 });
  });

  itWithModes("is refused if other users may read the key in it", async () => {
    await write(`[profiles.a]\nurl = "${url}"\napi_key = "${mock.apiKey}"`, 0o644);
    expect(await query(["--profile", "a"])).toEqual(
      failure(2, /^quern: other users may read the key in .* \(mode 0644\); run `chmod 600 .*config\.toml`/),
    );
    expect((await settingsOf(["a"])).api_key?.[1]).toContain("refused because other users may read the file");
  });

  it("sets the data source and the format, which flags override", async () => {
    await profile('source = "none"\nformat = "csv"\napi_key_file = "../../a.key"');
    await writeFile(join(home, "a.key"), mock.apiKey);
    const other = ["--profile", "a", "--data-source", "other"];
    expect(await query(["--profile", "a"])).toEqual({ ...row, stdout: "n\n1\n" });
    expect(await newestSource()).toBe("none");
    expect(await query(other)).toMatchObject({ status: 0 });
    expect(await newestSource()).toBe("other");
    expect(await query([...other, "--json"])).toMatchObject({ stdout: '[\n{"n":1}\n]\n' });
    const file = join(home, "out.jsonl");
    expect(await query([...other, "-o", file, "--no-progress"])).toMatchObject({ status: 0 });
    expect(await readFile(file, "utf8")).toBe('{"n":1}\n');
    const created = ["create-query-run", "--sql", "select one", "--profile", "a"];
    expect((await quern(created, env)).stdout).toContain('"dataSourceId": "none"');
    expect((await quern([...created, "--data-provider", "quern"], env)).stdout).not.toContain('"none"');
    const { stdout } = await quern(["tables", "--profile", "a"], env);
    expect(stdout).toMatch(/^name,schema,catalog,data_source/);
  });

  it("that is wrong is an error with its line", async () => {
    await profile('api_kee = "k"');
    expect(await query()).toEqual(failure(2, /^quern: invalid .*config\.toml, line 3: unknown member: api_kee; did/));
    expect(await query(["--profile", ""])).toEqual(failure(2, /^quern: invalid --profile: expected a name, got ""/));
  });
});

describe("quern profiles", () => {
  it("lists, shows, chooses and removes profiles, and logout removes a key", async () => {
    expect(await quern(["profiles"], env)).toEqual({ status: 0, stdout: "", stderr: "" });
    await login(["--url", url]);
    await login(["--profile", "b", "--url", url]);
    expect(await quern(["profiles", "use", "b"], env)).toMatchObject({ stdout: "default b\n" });
    expect(await quern(["profiles", "use", "c"], env)).toEqual(failure(2, /^quern: unknown profile: c; /));
    expect(await quern(["profiles", "--format", "csv"], env)).toMatchObject({
      stdout: `name,url,key,source,default\ndefault,${url},api_key_file,,false\nb,${url},api_key_file,,true\n`,
    });
    expect(await quern(["logout"], env)).toMatchObject({ stdout: "logged out b\n", status: 0 });
    expect(await readdir(folder)).toEqual(["config.toml", "default.key"]);
    expect(await quern(["logout"], env)).toEqual(failure(2, /^quern: profile b has no key/));
    expect(await query()).toEqual(failure(3, /^quern: missing API key: profile b has none; .* run `quern login`\n$/));
    expect(await quern(["profiles", "remove", "b"], env)).toMatchObject({ stdout: "removed b\n" });
    expect(await quern(["profiles", "remove", "default", "--json"], env)).toMatchObject({
      stdout: '{"removed":["default"]}\n',
    });
    expect(await readdir(folder)).toEqual(["config.toml"]);
    expect(await readFile(config, "utf8")).toBe("");
    expect(await quern(["logout"], env)).toEqual(failure(2, /^quern: there is no default profile; name one/));
  });

  it("leaves a key that login has not kept", async () => {
    await writeFile(config, `[profiles.a]\nurl = "${url}"\napi_key_command = ["pass"]\n`);
    expect(await quern(["logout", "--profile", "a"], env)).toEqual(failure(2, /it comes from api_key_command/));
    expect(await quern(["profiles", "remove", "a"], env)).toMatchObject({ status: 0 });
  });

  it("shows the effective settings with their origins, and no secret", async () => {
    await writeFile(
      config,
      `default_profile = "a"\n[profiles.a]\nurl = "${url}"\napi_key_command = ["qk_secret"]\nproxy = "http://me:secret@p:1"\nca_file = "ca.pem"\n`,
    );
    const all = await settingsOf([]);
    expect(all).toEqual({
      profile: ["a", "default_profile"],
      url: [url, "profile a"],
      api_key: ["hidden", "profile a: api_key_command"],
      proxy: ["http://me:***@p:1", "profile a"],
      ca_file: ["ca.pem", "profile a"],
      source: [null, null],
      format: [null, null],
      config_file: [config, "default"],
    });
    const variables = {
      QUERN_URL: "https://env.example.org",
      QUERN_API_KEY: "qk_secret",
      https_proxy: "http://p:2",
      NODE_EXTRA_CA_CERTS: "e.pem",
      QUERN_CLI_CONFIG: config,
    };
    expect(await settingsOf([], variables)).toMatchObject({
      profile: [null, null],
      url: ["https://env.example.org", "QUERN_URL"],
      api_key: ["hidden", "QUERN_API_KEY"],
      proxy: ["http://p:2", "https_proxy"],
      ca_file: ["e.pem", "NODE_EXTRA_CA_CERTS"],
      config_file: [config, "QUERN_CLI_CONFIG"],
    });
    expect(await settingsOf(["a"], variables)).toMatchObject({ profile: ["a", "--profile"], url: [url, "profile a"] });
    const flags = ["--url", "http://f", "--api-key-file", "k"];
    expect(await settingsOf(flags)).toMatchObject({
      url: ["http://f", "--url"],
      api_key: ["hidden", "--api-key-file k"],
    });
  });
});
