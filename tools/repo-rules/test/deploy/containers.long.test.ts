import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, createUpload, getQueryRunDownload, query, rowsOf } from "@quern/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { freePort } from "../../../../packages/s3/test/storage.ts";
import { hasVersitygw, versitygw } from "../../../../packages/s3/test/versitygw.ts";
import { type ServerProcess, serverProcesses, serverUser } from "../../src/compose-processes.ts";
import { buildWithoutContainer, type ContainerDirectory } from "../../src/container-directory.ts";
import { containerInstructions, interpolated, readCompose, readHaproxy } from "../../src/deploy-example.ts";
import { findHaproxy } from "../../src/haproxy.ts";
import { pack } from "../../src/packed.ts";
import { type LockedPackage, writeServiceLock } from "../../src/service-lock.ts";
import { publishedFolders } from "../../src/tree.ts";

const variables = {
  API_KEY: "qk_compose",
  STORE_PASSWORD: "store",
  STORAGE_KEY: "storage-id",
  STORAGE_SECRET: "secret",
};
const { services } = readCompose();
const work = mkdtempSync(join(tmpdir(), "quern-compose-"));
const open: (() => Promise<unknown> | unknown)[] = [() => rmSync(work, { recursive: true, force: true })];
afterAll(async () => {
  for (const close of open.toReversed()) await close();
});

let directory: ContainerDirectory;

beforeAll(() => {
  using packed = pack(publishedFolders());
  const context = join(work, "packages");
  mkdirSync(context);
  for (const tarball of packed.tarballs.values()) cpSync(tarball, join(context, tarball.split("/").at(-1) ?? ""));
  writeServiceLock(context);
  directory = buildWithoutContainer(context, serverUser);
  open.push(() => directory[Symbol.dispose]());
});

/** Starts PostgreSQL and the storage with the names, users and commands of `compose.yaml`. Returns the addresses. */
async function startSystems(): Promise<Readonly<Record<string, string>>> {
  const postgres: Postgres = await startPostgres();
  open.push(() => postgres[Symbol.asyncDispose]());
  const { POSTGRES_USER, POSTGRES_DB } = services.postgres?.environment ?? {};
  await postgres.run(`CREATE USER ${POSTGRES_USER}`, `CREATE DATABASE ${POSTGRES_DB} OWNER ${POSTGRES_USER}`);
  const data = join(work, "storage");
  const placed = (word: string, at: string): string => word.replace(/^\/data/, data).replace(/^:7070$/, at);
  const bucket = /\[(mkdir[^\]]+)\]/.exec(JSON.stringify(services.bucket).replaceAll('"', ""))?.[1]?.split(",") ?? [];
  const [mkdir = "", ...folders] = bucket.map((word) => placed(word, ""));
  execFileSync(mkdir, folders);
  const at = `127.0.0.1:${await freePort()}`;
  const env = Object.entries(services.storage?.environment ?? {});
  const storage = spawn(await versitygw(), services.storage?.command?.map((word) => placed(word, at)) ?? [], {
    env: Object.fromEntries(env.map(([name, text]) => [name, interpolated(text, variables)])),
    stdio: "ignore",
  });
  open.push(() => storage.kill("SIGKILL"));
  await answers(`http://${at}/`);
  return { "postgres:5432": new URL(postgres.url).host, "storage:7070": at };
}

/** Waits until an address answers with the status, or with any. */
async function answers(url: string, status?: number): Promise<void> {
  for (;;) {
    const found = await fetch(url).then(
      (response) => response.status,
      () => undefined,
    );
    if (found !== undefined && (status === undefined || found === status)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs the command of HEALTHCHECK on the port of a server. Returns its exit status. */
async function healthOf({ port }: ServerProcess): Promise<number | null> {
  const [text = ""] = containerInstructions().flatMap((each) =>
    each.getKeyword() === "HEALTHCHECK" ? [each.getArgumentsContent() ?? ""] : [],
  );
  const [program, ...args]: string[] = JSON.parse(/\[.*\]$/.exec(text)?.[0].replace("8080", String(port)) ?? "[]");
  expect(program).toBe("node");
  const check = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = await once(check, "exit");
  return code;
}

it("the Containerfile installs the locked packages of a server, whose command runs", () => {
  expect(directory.commands.map((command) => command.split(" ")[0])).toEqual(["npm", "install"]);
  const modules = directory.at("/opt/quern/node_modules");
  const hidden = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  const lock = JSON.parse(readFileSync(directory.at("/opt/quern/package-lock.json"), "utf8"));
  for (const [path, { version }] of Object.entries<LockedPackage>(hidden.packages))
    expect([path, version]).toEqual([path, lock.packages[path]?.version]);
  expect(readdirSync(join(modules, "@quern"))).not.toEqual(expect.arrayContaining(["mock-server"]));
  expect(execFileSync(process.execPath, [join(modules, ".bin/quern"), "--version"], { encoding: "utf8" })).toMatch(
    /\d/,
  );
});

const haproxy = findHaproxy();

if (!hasVersitygw() || haproxy === undefined)
  it.skip("the servers of compose.yaml do not run here: the machine lacks haproxy or Go"); // as its name says
else {
  it("the servers of compose.yaml run from the image, and HAProxy serves while each is replaced", async () => {
    const proxyPort = await freePort();
    const url = `http://127.0.0.1:${proxyPort}`;
    const servers = await serverProcesses({
      directory,
      addresses: await startSystems(),
      variables: { ...variables, PUBLIC_URL: url },
      env: { QUERN_SHUTDOWN_DELAY_SECONDS: "15" }, // so long that the test sees the server without calls meanwhile
    });
    open.push(() => Promise.all(servers.map((server) => server.stop("SIGKILL"))));
    const [first] = servers;
    if (first === undefined) throw new Error("compose.yaml has no server");
    expect(await healthOf(first)).toBe(1);
    await Promise.all(servers.map((server) => server.start()));
    for (const server of servers) expect(await healthOf(server)).toBe(0);

    const file = join(work, "haproxy.cfg");
    const placed = servers.reduce(
      (text, { name, port }) => text.replace(`${name}:8080`, `127.0.0.1:${port}`),
      readHaproxy().replace("bind :8080", `bind 127.0.0.1:${proxyPort}`),
    );
    writeFileSync(file, placed);
    expect(haproxy.check(file)).toEqual({ status: 0, stderr: "" });
    const proxy = haproxy.start(file);
    open.push(() => proxy.kill("SIGKILL"));
    for (const path of ["/metrics", "/readyz", "/"]) await answers(`${url}${path}`, 404);

    // Without retries of the client: each call succeeds at its first attempt.
    const client = createClient({ url, apiKey: variables.API_KEY, retries: 0 });
    const counts = { ended: 0, replaced: 0 };
    const failures: unknown[] = [];
    const caller = async (name: number): Promise<void> => {
      while (counts.replaced < servers.length) {
        const value = `${name} ${counts.ended}`;
        const rows = await query(client, { sql: `select '${value}' as v` }).then(
          (run) => Array.fromAsync(rowsOf(run)),
          (error: unknown) => failures.push(error),
        );
        if (Array.isArray(rows)) expect(rows).toEqual([{ v: value }]);
        counts.ended += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const callers = Promise.all([1, 2, 3, 4].map(caller));
    for (const server of servers) {
      const before = counts.ended;
      const stopped = server.stop("SIGTERM");
      await leavesRotation(server);
      await stopped;
      await server.start();
      await answers(`http://127.0.0.1:${server.port}/readyz`, 200);
      // Until HAProxy has noticed, and calls of all callers have ended meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      expect(counts.ended).toBeGreaterThan(before);
      counts.replaced += 1;
    }
    await callers;
    expect(failures).toEqual([]);

    const { queryRunId } = await query(client, { sql: "select 42 as n" });
    const { url: link } = await getQueryRunDownload(client, { queryRunId, format: "csv" });
    expect(link).toContain(`${url}/results/`);
    expect(await (await fetch(link)).text()).toBe("n\n42\n");
    const upload = await createUpload(client, { format: "csv" });
    expect(upload.url).toContain(`${url}/uploads/`);
    expect((await fetch(upload.url, { method: "PUT", body: "n\n7\n" })).status).toBe(204);
    console.log(`${counts.ended} statements of 4 callers while 3 servers were replaced, none failed`);
  }, 350_000);
}

/** Waits until HAProxy sends no more calls to a server that still answers. Rejects if the server ends before. */
async function leavesRotation({ port }: ServerProcess): Promise<void> {
  const calls = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return text.match(/^quern_requests_total.*$/gm)?.join();
  };
  for (let before = await calls(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const now = await calls();
    if (now === before) return;
    before = now;
  }
}
