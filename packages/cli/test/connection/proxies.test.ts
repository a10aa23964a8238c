import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quernOn, spawnQuern } from "../quern.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "quern-proxies-"));
const file = (name: string) => join(folder, name);

/** Creates an authority, and a certificate of it for a host that only the proxy can find. */
function createCertificate(): void {
  const openssl = (...words: readonly string[]) => execFileSync("openssl", words, { stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const ca = ["-keyout", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=Test authority"];
  openssl("req", "-x509", ...key, ...ca);
  const names = [
    "-subj",
    "/CN=quern.test",
    "-addext",
    "subjectAltName=DNS:quern.test",
    "-addext",
    "basicConstraints=CA:FALSE",
  ];
  const signed = [
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file("ca.key"),
    "-keyout",
    file("key.pem"),
    "-out",
    file("cert.pem"),
  ];
  openssl("req", "-x509", ...key, ...names, ...signed);
}

const portOf = (server: Server) => (server.address() as AddressInfo).port; // it listens on a port

async function listening<Kind extends Server>(server: Kind): Promise<Kind> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

const mock = createMockServer();
mock.when("select one").rows([{ n: 1 }]);
const seen: string[] = [];
let on: Awaited<ReturnType<typeof quernOn>>;
const servers: Server[] = [];
let proxy: string;
let proxyPort: number;
let secureUrl: string;
let plainUrl: string;

/** Forwards a request to the mock, wherever it was sent to. */
async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await text(incoming);
  const headers = { ...incoming.headers, host: new URL(on.env.QUERN_URL).host };
  const forwarded = request(`${on.env.QUERN_URL}/json-rpc`, { method: "POST", headers });
  forwarded.end(body);
  const [response] = (await once(forwarded, "response")) as [IncomingMessage]; // `once` does not declare it
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  response.pipe(outgoing);
}

beforeAll(async () => {
  on = await quernOn(mock);
  const proxyServer = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  let securePort = 0;
  proxyServer.on("connect", ({ url, headers }, socket, head) => {
    seen.push(`CONNECT ${url}${headers["proxy-authorization"] === undefined ? "" : " with a password"}`);
    const upstream = connect(securePort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  servers.push(await listening(proxyServer));
  proxyPort = portOf(proxyServer);
  proxy = `http://127.0.0.1:${proxyPort}`;
  plainUrl = "http://quern.test:8080";
  if (!hasOpenssl) return;
  createCertificate();
  const options = { key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) };
  const secure = createSecureServer(options, (incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  servers.push(await listening(secure));
  securePort = portOf(secure);
  secureUrl = `https://quern.test:${securePort}`;
});
beforeEach(() => void seen.splice(0));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await on[Symbol.asyncDispose]();
});

async function query(env: Readonly<Record<string, string>>) {
  const { stdout, ended } = spawnQuern(["query", "select one", "--timeout-seconds", "20"], { ...on.env, ...env });
  const [output, { status, stderr }] = await Promise.all([text(stdout), ended]);
  return { status, stdout: output, stderr };
}

const row = { status: 0, stdout: '{"n":1}\n', stderr: "" };

const describeWithOpenssl = describe.skipIf(!hasOpenssl); // the machine lacks openssl, which creates the certificates

describeWithOpenssl("a service with https", () => {
  const trusted = { NODE_EXTRA_CA_CERTS: file("ca.pem") };

  it.each(["HTTPS_PROXY", "https_proxy"])("is called through the proxy of %s", async (name) => {
    expect(await query({ ...trusted, QUERN_URL: secureUrl, [name]: proxy })).toEqual(row);
    expect(new Set(seen)).toEqual(new Set([`CONNECT ${new URL(secureUrl).host}`]));
  });

  it("sends the password of the proxy", async () => {
    const withPassword = `http://user:word@127.0.0.1:${proxyPort}`;
    expect(await query({ ...trusted, QUERN_URL: secureUrl, HTTPS_PROXY: withPassword })).toEqual(row);
    expect(new Set(seen)).toEqual(new Set([`CONNECT ${new URL(secureUrl).host} with a password`]));
  });

  it("is refused without NODE_EXTRA_CA_CERTS, and the error names the variable", async () => {
    const { status, stdout, stderr } = await query({ QUERN_URL: secureUrl, HTTPS_PROXY: proxy });
    expect([status, stdout]).toEqual([7, ""]);
    expect(stderr).toMatch(
      /^quern: .*certificate.*; name the file with the certificate of its authority in NODE_EXTRA_CA_CERTS, or as ca_file in a profile\n$/,
    );
  });
});

describeWithOpenssl("the profile of a service", () => {
  /** Environment with a profile of these members, of the service that only the proxy can find. */
  function profileEnv(...members: readonly string[]) {
    const config = ["[profiles.a]", `url = "${secureUrl}"`, `api_key = "${mock.apiKey}"`, ...members].join("\n");
    writeFileSync(file("config.toml"), config, { mode: 0o600 });
    return { QUERN_CLI_CONFIG: file("config.toml"), QUERN_PROFILE: "a", QUERN_URL: "", QUERN_API_KEY: "" };
  }

  it("has its authority and its proxy, which goes before those of the environment", async () => {
    const env = profileEnv('ca_file = "ca.pem"', `proxy = "${proxy}"`);
    expect(await query({ ...env, HTTPS_PROXY: "http://127.0.0.1:1" })).toEqual(row);
    expect(new Set(seen)).toEqual(new Set([`CONNECT ${new URL(secureUrl).host}`]));
  });

  it("is called directly with an empty proxy, and refused without its authority", async () => {
    const direct = { ...profileEnv('proxy = ""'), HTTPS_PROXY: proxy };
    expect(await query(direct)).toMatchObject({ status: 7, stdout: "" });
    expect(seen).toEqual([]);
    const untrusted = await query({ ...profileEnv(), HTTPS_PROXY: proxy });
    expect(untrusted.stderr).toMatch(/NODE_EXTRA_CA_CERTS, or as ca_file in a profile\n$/);
    const { status, stderr } = await query(profileEnv('ca_file = "key.pem"'));
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/ca_file of profile a: .*key.pem has no certificate in PEM/),
    ]);
  });
});

describe("a service with http", () => {
  it.each(["HTTP_PROXY", "http_proxy"])("is called through the proxy of %s", async (name) => {
    expect(await query({ QUERN_URL: plainUrl, [name]: proxy })).toEqual(row);
    expect(new Set(seen)).toEqual(new Set([`POST ${plainUrl}/json-rpc`]));
  });

  it("does not use the proxy for https, nor any for a host that NO_PROXY names", async () => {
    expect(await query({ HTTPS_PROXY: proxy })).toEqual(row);
    expect(await query({ HTTP_PROXY: proxy, NO_PROXY: "example.org,127.0.0.1" })).toEqual(row);
    expect(await query({ http_proxy: proxy, no_proxy: "*" })).toEqual(row);
    expect(seen).toEqual([]);
    expect(await query({ HTTP_PROXY: proxy, NO_PROXY: "example.org" })).toEqual(row);
    expect(seen.length).toBeGreaterThan(0);
  });

  it("cannot be called through a proxy that does not answer", async () => {
    const { status, stderr } = await query({ QUERN_URL: plainUrl, HTTP_PROXY: "http://127.0.0.1:1" });
    expect([status, stderr]).toEqual([7, expect.stringMatching(/^quern: .*127\.0\.0\.1:1/)]);
  });

  it("is called directly with an empty variable, and is a usage error with an invalid one", async () => {
    expect(await query({ HTTP_PROXY: "", HTTPS_PROXY: "" })).toEqual(row);
    expect(await query({ HTTP_PROXY: "http://[" })).toEqual({
      status: 2,
      stdout: "",
      stderr:
        'quern: invalid HTTP_PROXY: expected the address of a proxy such as http://proxy.example.org:3128, got "http://["\n',
    });
  });
});
