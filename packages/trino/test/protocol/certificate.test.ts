import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = `
import { send } from ${JSON.stringify(new URL("../../src/protocol/http.ts", import.meta.url).href)};
const signal = AbortSignal.timeout(20_000);
const request = { method: "GET", url: process.env.ADDRESS, headers: {}, retryMs: 0, signal };
console.log(await send(request).then(({ status }) => status, ({ message }) => message));
`;

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const itWithOpenssl = it.skipIf(!hasOpenssl); // the machine lacks openssl, which creates the certificate

itWithOpenssl(
  "trusts a private certificate authority that NODE_EXTRA_CA_CERTS names, and names the variable without it",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "quern-certificate-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const options = ["-x509", "-nodes", "-newkey", "rsa:2048", "-days", "1", "-subj", "/CN=localhost"];
    const names = ["-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", ["req", ...options, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => response.end());
    await once(server.listen(0), "listening");
    const address = `https://localhost:${(server.address() as AddressInfo).port}/v1/info`;
    const answer = async (env: NodeJS.ProcessEnv): Promise<string> => {
      const args = ["--input-type=module", "--eval", program];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { PATH: process.env.PATH, ADDRESS: address, ...env },
      });
      return stdout.trim();
    };
    try {
      expect(await answer({ NODE_EXTRA_CA_CERTS: cert })).toBe("200");
      expect(await answer({})).toContain("its certificate is refused (DEPTH_ZERO_SELF_SIGNED_CERT); name the file");
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  },
);
