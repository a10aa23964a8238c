import { execFile } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listKeys } from "@quern/server/administration";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { canChangeUser } from "../../../duckdb/test/processes/machine.ts";
import { binary, type Ended, quern } from "../quern.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quern-administration-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** Data directory with a key and a source, which each test of a foreign file copies. */
let prepared: string;
let preparedId: string;
beforeAll(async () => {
  prepared = await mkdtemp(join(tmpdir(), "quern-administration-"));
  await writeFile(join(prepared, "parts.csv"), "id\n1\n");
  const at = ["--data-dir", prepared];
  preparedId = JSON.parse((await quern(["keys", "issue", "--json", ...at])).stdout).id;
  const added = await quern(["sources", "add", "garage", join(prepared, "parts.csv"), "--as", "parts", ...at]);
  expect(added).toMatchObject({ status: 0 });
});
afterAll(() => rm(prepared, { recursive: true }));

/** Gives a directory and all that is in it to a user. */
async function give(directory: string, user: number): Promise<void> {
  const names = await readdir(directory, { recursive: true });
  for (const name of ["", ...names]) await chown(join(directory, name), user, user);
}

/** User id without an entry in the list of users. */
const nameless = 54_321;

function run(words: readonly string[], user = canChangeUser ? { uid: nameless, gid: nameless } : {}): Promise<Ended> {
  const options = { ...user, cwd: dataDir, env: { PATH: process.env.PATH } };
  return new Promise((resolve) =>
    execFile(process.execPath, [binary, ...words, "--data-dir", dataDir], options, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );
}

const states = async () => (await listKeys(dataDir)).map(({ id, state }) => [id, state]);

/** Commands that change the store; each refers to the key by its id. */
const changesOf = (id: string): readonly (readonly string[])[] => [
  ["tenants", "set", "acme", "--max-unfinished-runs", "3"],
  ["keys", "issue", "--user", "bob"],
  ["erase", "--user", "ann"],
  ["keys", "revoke-links"],
  ["keys", "rotate", id],
  ["keys", "revoke", id],
];

// Only root can start a process of another user, who must be able to read Node.js and the packages.
it.runIf(canChangeUser)("changes keys, tenants and users for a user id that has no name", async () => {
  await chown(dataDir, nameless, nameless);
  const { stdout } = await run(["keys", "issue", "--user", "ann", "--json"]);
  const { id } = JSON.parse(stdout);
  for (const words of changesOf(id)) expect([words, await run(words)]).toMatchObject([words, { status: 0 }]);
  const lines = (await readFile(join(dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
  expect(new Set(lines.map((line) => JSON.parse(line).operator))).toEqual(new Set([`uid ${nameless}`]));
});

/** Commands that write no line of the audit log. */
const unaudited: readonly (readonly string[])[] = [
  ["sources", "add", "garage", "parts.csv", "--as", "parts"],
  ["sources", "load", "garage"],
  ["sources", "remove", "garage"],
  ["migrate-store", "--to-data-dir", "copy"],
  ["migrate-store", "--to-data-dir", "copy", "--check"],
];

// As above; only root can give a file to another user.
it.runIf(canChangeUser)("loads sources and moves the store for that user, whoever owns the audit log", async () => {
  await chown(dataDir, nameless, nameless);
  await writeFile(join(dataDir, "parts.csv"), "id\n1\n");
  await run(["keys", "issue"]);
  for (const name of ["audit.jsonl", "audit.lock"]) await chown(join(dataDir, name), 0, 0);
  for (const words of unaudited) expect([words, await run(words)]).toMatchObject([words, { status: 0 }]);
});

interface Foreign {
  /** Files and directories of another user. */
  readonly names: readonly string[];
  readonly commandsOf: (id: string) => readonly (readonly string[])[];
  readonly message: RegExp;
}

const auditMessage = /^quern: nothing was changed, because the audit log in .+; run the command as the user that/;
const deniedMessage = /^quern: EACCES: .+sources.*; change its permissions, or run the command as the user that/;

it.runIf(canChangeUser).each<Foreign>([
  { names: ["audit.jsonl"], commandsOf: changesOf, message: auditMessage },
  { names: ["audit.lock"], commandsOf: (id) => [["keys", "rotate", id]], message: auditMessage },
  {
    names: ["quern.db"],
    commandsOf: (id) => [
      ["keys", "rotate", id],
      ["migrate-store", "--to-data-dir", "copy"],
    ],
    message: /^quern: The store .+ cannot be opened: .+; check its permissions.+ or use the user that owns it/,
  },
  {
    names: ["server.lock", "copy"],
    commandsOf: () => [["migrate-store", "--to-data-dir", "copy"]],
    message: /^quern: The data directory .+ cannot be locked: .+; check its file server.lock/,
  },
  {
    names: ["sources"],
    commandsOf: () => [
      ["sources", "list"],
      ["sources", "add", "engine", "trino://ann@127.0.0.1:1/hive"],
      ["sources", "load", "garage"],
    ],
    message: deniedMessage,
  },
  {
    names: ["sources/garage"],
    commandsOf: () => [["sources", "remove", "garage"]],
    message: deniedMessage,
  },
])("changes nothing if another user owns $names", async ({ names, commandsOf, message }) => {
  await cp(prepared, dataDir, { recursive: true });
  await give(dataDir, nameless);
  const tables = async () => (await quern(["sources", "list", "--data-dir", dataDir])).stdout;
  const before = [await states(), await tables()];
  for (const name of names) {
    const path = join(dataDir, name);
    if (name === "copy") await mkdir(path);
    if (name === "server.lock") await writeFile(path, "");
    await chown(path, 0, 0);
    await chmod(path, (await stat(path)).isDirectory() ? 0o700 : 0o600);
  }
  for (const words of commandsOf(preparedId)) {
    const { status, stdout, stderr } = await run(words);
    expect([words, status, stdout]).toEqual([words, 2, ""]);
    expect(stderr).toMatch(message);
  }
  expect([await states(), await tables()]).toEqual(before);
});

// Linux has a file that is always full.
it.runIf(process.platform === "linux")("prints a new key also if the audit log is full afterwards", async () => {
  const { id } = JSON.parse((await run(["keys", "issue", "--json"], {})).stdout);
  await rm(join(dataDir, "audit.jsonl"));
  await symlink("/dev/full", join(dataDir, "audit.jsonl"));
  const { status, stdout, stderr } = await run(["keys", "rotate", id, "--json"], {});
  const issued = JSON.parse(stdout);
  expect(issued).toMatchObject({ id: expect.stringMatching(/^key_/), key: expect.stringMatching(/^qk_/) });
  expect(await states()).toEqual([
    [id, "revoked"],
    [issued.id, "active"],
  ]);
  expect([status, JSON.parse(stderr.split("\n").find((line) => line.startsWith("{")) ?? "").message]).toEqual([
    1,
    "the change is stored, but its line is missing in the audit log: ENOSPC: no space left on device, write",
  ]);
  expect(await readdir(dataDir)).toContain("audit.lock");
});
