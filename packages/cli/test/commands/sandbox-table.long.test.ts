import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canChangeUser } from "../../../duckdb/test/processes/machine.ts";
import { binary } from "../quern.ts";

const nobody = 65_534;
const asRoot = (canChangeUser ? describe : describe.skip) as typeof describe; // not root, or the tree is closed to other users
const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", QUERN_API_KEY: "qk_sandbox_0123456789abcdef" };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-sandbox-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Rows of the table of checks in the security guide, by the name of the check. */
async function guideTable(): Promise<ReadonlyMap<string, { readonly root: string; readonly other: string }>> {
  const guide = await readFile(new URL("../../../../docs/guides/security.md", import.meta.url), "utf8");
  const [, table = ""] = guide.split("| Check | If the service is root | If the service is another user | File |\n");
  const rows = (table.split("\n\n")[0] ?? "").split("\n").slice(1);
  return new Map(
    rows.map((row) => {
      const [, name = "", root = "", other = ""] = row.split("|").map((cell) => cell.trim());
      return [name.replaceAll("`", ""), { root, other }];
    }),
  );
}

/** Values such as `NoNewPrivs: 1` in a cell of the table. */
function valuesIn(cell: string): readonly (readonly [name: string, value: string])[] {
  return [...cell.matchAll(/`([^`:]+): ([^`]+)`/g)].map(([, name = "", value = ""]) => [name, value]);
}

/** Values of a process, by the names in the table. */
async function valuesOf(pid: number): Promise<ReadonlyMap<string, string>> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8");
  const status = [...(await read("status")).matchAll(/^(\w+):\s*(\S*)/gm)];
  const limits = [...(await read("limits")).matchAll(/^(Max [a-z ]+?) {2,}(\S+)/gm)];
  const interfaces = (await read("net/dev")).match(/^\s*[^\s:|]+(?=:)/gm) ?? [];
  return new Map([
    ...[...status, ...limits].map(([, name = "", value = ""]): [string, string] => [name, value]),
    ["interfaces", interfaces.map((name) => name.trim()).join(" ")],
    ["oom_score_adj", (await read("oom_score_adj")).trim()],
  ]);
}

/** Start of a command line that runs the rest of it as a user. */
const asUser = (userId: number) => ["setpriv", `--reuid=${userId}`, `--regid=${userId}`, "--clear-groups", "--"];

/** Returns the program and the arguments that run `quern` after a prefix. */
function command(prefix: readonly string[], words: readonly string[]): readonly [string, string[]] {
  const [program = "", ...rest] = [...prefix, process.execPath, binary, ...words];
  return [program, rest];
}

interface Check {
  readonly check: string;
  /** Null for a missing layer that the strict sandbox does not require. */
  readonly ok: boolean | null;
  readonly meaning: string;
}

async function doctor(prefix: readonly string[]): Promise<ReadonlyMap<string, Check>> {
  const words = ["doctor", "--data-dir", join(folder, "data")];
  const options = { env: environment, cwd: folder };
  const failed = (error: { readonly stdout: string }) => error; // exit code 4: a check fails
  const { stdout } = await promisify(execFile)(...command(prefix, words), options).catch(failed);
  const checks = stdout
    .trim()
    .split("\n")
    .map((line): Check => JSON.parse(line));
  return new Map(checks.map((each) => [each.check, each]));
}

/** Starts the service, and ends it after `use`. Returns what it has written to stderr. */
async function serving(
  prefix: readonly string[],
  flags: readonly string[],
  use: (pid: number, url: string) => Promise<void>,
) {
  const words = ["serve", "--port", "0", "--json", "--data-dir", join(folder, "data"), ...flags];
  const service = spawn(...command(prefix, words), {
    env: environment,
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  service.stderr.on("data", (text) => (errors += text));
  const exited = once(service, "exit");
  const lines = createInterface(service.stdout);
  const [line] = await Promise.race([once(lines, "line"), exited]);
  if (service.exitCode === null) await use(service.pid ?? 0, JSON.parse(String(line)).url);
  service.kill();
  await exited;
  return errors;
}

/**
 * Runs a statement whose result is kept as a file, and returns the processes of a service, once one is for statements
 * and one reads results.
 */
async function childrenOf(pid: number, url: string): Promise<readonly number[]> {
  const env = { ...environment, QUERN_URL: url };
  await promisify(execFile)(process.execPath, [binary, "query", "from range(2000)"], { env });
  let names: readonly string[] = [];
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
    const children = text.trim().split(" ").filter(Boolean).map(Number);
    names = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, "utf8").catch(() => "")));
    // Between fork and exec, a process has the command line of the service, without the flag of its processes.
    const running = children.filter((_, index) => names[index]?.startsWith(`${process.execPath}\0--disable-proto`));
    if (
      ["executor/worker.js", "reader/page-worker.js"].every((file) => names.some((name) => name.includes(`/${file}`)))
    )
      return running;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The service has these processes only: ${names.join(", ")}`);
}

asRoot("the table of the security guide", () => {
  it.each([
    ["root", 0],
    ["other", nobody],
  ] as const)(
    "agrees with the doctor, the strict sandbox and the processes of a service: %s",
    async (column, userId) => {
      await chown(folder, userId, userId);
      const table = await guideTable();
      const checks = await doctor(asUser(userId));
      const layers = [...checks.keys()].filter((name) => !["disk", "data-directory", "sources"].includes(name));
      expect(layers.toSorted()).toEqual([...table.keys()].toSorted());
      expect(layers.flatMap((name) => (checks.get(name)?.ok === false ? [checks.get(name)] : []))).toEqual([]);
      expect(layers.filter((name) => checks.get(name)?.ok === null && name !== "landlock")).toEqual([]);
      const errors = await serving(asUser(userId), ["--strict-sandbox"], async (pid, url) => {
        const processes = await Promise.all((await childrenOf(pid, url)).map(valuesOf));
        const cells = [...table].map(([name, row]) => [name, row[column]] as const);
        for (const [name, cell] of cells)
          for (const [key, value] of name === "user" ? [] : valuesIn(cell))
            for (const values of processes) expect([name, key, values.get(key)]).toEqual([name, key, value]);
        const users = processes.map((values) => Number(values.get("Uid")));
        const [first, last] = valuesIn(table.get("user")?.[column] ?? "").map(([, value]) => Number(value));
        if (first === undefined || last === undefined) expect(new Set(users)).toEqual(new Set([userId]));
        else {
          expect(new Set(users).size).toBe(users.length);
          for (const user of users) expect(user >= first && user <= last).toBe(true);
        }
      });
      expect(errors).toBe("");
    },
  );
});

/** Start of a command line for a namespace without other user ids, as in a container of a user. */
const namespace = ["unshare", "--user", "--map-root-user", "--"];
const [unshare = "", ...inNamespace] = [...namespace, "setpriv", "--version"];
const hasNamespaces = spawnSync(unshare, inNamespace).status === 0;

// The kernel or a program is missing.
describe.runIf(hasNamespaces)("root that cannot change the user of a process", () => {
  it("is reported, warned of once, and refused by the strict sandbox", async () => {
    const fault = /user id 90[0-2]\d\d cannot run them: .*setresuid failed: Invalid argument; .*uid_map/;
    expect((await doctor(namespace)).get("user")).toMatchObject({ ok: false, meaning: expect.stringMatching(fault) });
    const refusal = await serving(namespace, ["--strict-sandbox"], () => Promise.reject(new Error("must not start")));
    expect(refusal).toMatch(/lacks layers of the strict sandbox: user: .*Run the service as a user other than root/);
    let isServing = false;
    const serve = async (): Promise<void> => {
      isServing = true;
    };
    const warning = await serving(namespace, [], serve);
    expect(isServing).toBe(true);
    expect(warning).toMatch(/^\{"level":"warn",[^\n]*"msg":"[^"\n]*cannot run them:[^"\n]*"\}\n$/);
  });
});
