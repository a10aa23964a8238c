import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../../../packages/s3/test/storage.ts";
import { hasServerMachine, onServerMachine } from "../src/server-machine.ts";
import { API_KEY, cli, startCommand } from "../src/service.ts";
import { snippets } from "../src/snippets.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-deployment-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the snippet of the guide that contains a text. */
function snippetWith(text: string): string {
  const code = snippets("docs/guides/deploy.md").find((each) => each.code.includes(text))?.code;
  if (code === undefined) throw new Error(`the guide has no snippet with ${text}`);
  return code;
}

/** Replaces each text, which must be there. */
function replaced(code: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce((done, [text, other]) => {
    expect(done).toContain(text);
    return done.replaceAll(text, other);
  }, code);
}

/** Returns the path of nginx: of a package that is unpacked in the cache, or of the machine; undefined if it lacks both. */
function findNginx(): string | undefined {
  const unpacked = join(homedir(), ".cache/quern-tools/nginx/usr/sbin/nginx");
  const paths = [unpacked, "/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"];
  return paths.find((path) => existsSync(path));
}

if (spawnSync("systemd-analyze", ["--version"]).status !== 0) {
  it.skip("systemd does not check the unit of the guide here: the machine lacks systemd-analyze"); // as its name says
} else {
  it("the unit of the guide is valid, and exposes little", () => {
    const program = join(folder, "quern");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const unit = join(folder, "quern.service");
    writeFileSync(unit, replaced(snippetWith("[Service]"), { "/usr/local/bin/quern ": `${program} ` }));
    const verified = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
    expect([verified.status, verified.stdout, verified.stderr]).toEqual([0, "", ""]);
    // From 0, a service that can do nothing, to 10, one without any protection.
    const rated = spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=40", unit]);
    expect(rated.status).toBe(0);
  });
}

if (!hasServerMachine()) {
  it.skip("the guide's backup does not run here: it needs root, and a checkout that all can read"); // as its name says
} else {
  it("the guide's backup, made while its service runs and restored, has all data and owners", async () => {
    const work = mkdtempSync(join(folder, "machine-"));
    const backup = snippets("docs/guides/deploy.md").find(({ code }) => code.startsWith("install --directory"));
    const look = `
      cd / && quern runs list --format csv && find /var/lib/quern/[qras]* ! -user quern | sort
    `;
    const script = `
      ${snippetWith("useradd")}
      cat > /opt/quern/backup.mjs <<'END'\n${snippetWith("VACUUM INTO")}END
      systemctl start quern
      printf 'id,name\\n1,axle\\n2,bolt\\n' > /var/parts.csv
      quern sources add garage /var/parts.csv --data-dir /var/lib/quern > /var/added
      quern query "select 'kept' as word" > /var/kept
      ${look}
      echo ==
      ${backup?.code}
      echo ==
      cd / && quern query "select 'lost' as word" > /var/lost
      systemctl stop quern
      find /var/lib/quern -mindepth 1 -delete
      systemctl start quern
      ${snippetWith("systemctl stop")}
      ${look}
      echo ==
      quern query "select sum(id) as total from parts" --data-source garage --format csv
    `;
    const port = String(await freePort());
    const env = { QUERN_API_KEY: API_KEY, QUERN_URL: `http://127.0.0.1:${port}`, QUERN_PORT: port };
    const [, command = ""] = /^ExecStart=(.+)$/m.exec(snippetWith("[Service]")) ?? [];
    const [before, copied, after, rows] = onServerMachine(work, script, { command, env }).split("==\n");
    expect(before).toMatch(/^id,.*\nrun_.*\n\/var\/lib\/quern\/sources\/.*\n/);
    expect(copied).toBe(backup?.output);
    expect(after).toBe(before);
    expect(rows).toBe("total\n3\n");
  });
}

const nginx = findNginx();

if (nginx === undefined)
  it.skip("nginx does not run here: the machine lacks the package nginx"); // as its name says
else {
  describe("nginx with the configuration of the guide", () => {
    it("forwards calls, downloads and uploads with the address of the caller, and nothing else", async () => {
      const dataDir = join(folder, "data");
      const port = await freePort();
      const args = [cli, "serve", "--data-dir", dataDir];
      const url = `https://quern.example.com:${port}`;
      const env = { QUERN_TRUSTED_PROXY: "true", QUERN_PUBLIC_URL: url };
      const service = await startCommand(process.execPath, args, { env });
      const proxy = await startNginx(nginx, new URL(service.url).host, port);
      try {
        const call = async (method: string, params: object) => {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
          const headers = { "content-type": "application/json", "x-api-key": API_KEY, "x-forwarded-for": "192.0.2.9" };
          return JSON.parse((await send(port, "/json-rpc", { method: "POST", headers, body })).text).result;
        };
        const { queryRun } = await call("createQueryRun", { sql: "select 42 as n", waitSeconds: 30 });
        expect(queryRun.state).toBe("QUERY_STATE_SUCCESS");
        const link = await call("getQueryRunDownload", { queryRunId: queryRun.id, format: "csv" });
        expect(link.url).toContain(`${url}/results/`);
        expect((await send(port, new URL(link.url).pathname)).text).toBe("n\n42\n");
        // Above the default of nginx, too.
        const upload = await call("createUpload", { format: "csv" });
        const file = `n\n${"7\n".repeat(1_000_000)}`;
        expect((await send(port, new URL(upload.url).pathname, { method: "PUT", body: file })).status).toBe(204);
        const uploads = { numbers: upload.uploadId };
        const sum = await call("createQueryRun", { sql: "select sum(n) from numbers", uploads, waitSeconds: 30 });
        expect(sum.queryRun.state).toBe("QUERY_STATE_SUCCESS");
        for (const path of ["/metrics", "/healthz", "/readyz", "/json-rpc/"])
          expect([path, (await send(port, path)).status]).toEqual([path, 404]);
        // Below the limit of the service, and above the default of nginx.
        expect(await call("listQueryRuns", { tags: { large: "x".repeat(4_100_000) } })).toMatchObject({
          queryRuns: [],
        });
        const addresses = readFileSync(join(dataDir, "audit.jsonl"), "utf8").match(/"address":"[^"]*"/g);
        expect(new Set(addresses)).toEqual(new Set([`"address":"${callerAddress}"`]));
      } finally {
        proxy.kill("SIGTERM");
        await service.stop();
      }
    });
  });
}

/** Starts nginx with the configuration of the guide, on a port of loopback and with a certificate of the test. */
async function startNginx(program: string, service: string, port: number): Promise<ChildProcess> {
  const certificate = join(folder, "quern.pem");
  const key = join(folder, "quern.key");
  const options = ["-x509", "-nodes", "-newkey", "rsa:2048", "-days", "1", "-subj", "/CN=quern.example.com"];
  execFileSync("openssl", ["req", ...options, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const server = replaced(snippetWith("upstream quern"), {
    "127.0.0.1:8080": service,
    "listen 443 ": `listen 127.0.0.1:${port} `,
    "/etc/ssl/quern.pem": certificate,
    "/etc/ssl/quern.key": key,
  });
  const uses = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = uses.map((use) => `${use}_temp_path ${folder}/${use};`).join("\n");
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  const http = `http {\naccess_log off;\n${temporary}\n${server}}`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, `${user}pid ${folder}/nginx.pid;\nerror_log stderr;\ndaemon off;\nevents {}\n${http}\n`);
  mkdirSync(join(folder, "modules"), { recursive: true });
  const checked = spawnSync(program, ["-t", "-q", "-p", folder, "-c", file], { encoding: "utf8" });
  expect([checked.status, checked.stderr]).toEqual([0, ""]);
  const proxy = spawn(program, ["-p", folder, "-c", file], { stdio: ["ignore", "ignore", "inherit"] });
  for (;;) {
    const isUp = await send(port, "/").then(
      () => true,
      () => false,
    );
    if (isUp) return proxy;
    if (proxy.exitCode !== null) throw new Error(`nginx ended with ${proxy.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Address of the caller, on loopback like the service and the proxy, whose address is another one. */
const callerAddress = "127.0.0.2";

/** Sends a request to the proxy, whose certificate no authority has signed. */
async function send(
  port: number,
  path: string,
  { method = "GET", headers = {}, body }: Sent = {},
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const to = {
    host: "127.0.0.1",
    localAddress: callerAddress,
    port,
    path,
    method,
    headers,
    servername: "quern.example.com",
  };
  const sending = request({ ...to, rejectUnauthorized: false });
  sending.end(body);
  const [response] = await once(sending, "response");
  const pieces: Buffer[] = await response.toArray();
  return { status: response.statusCode, text: Buffer.concat(pieces).toString() };
}
