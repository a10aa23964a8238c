import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { adversaryCases } from "@quern/conformance/client";
import { afterAll, describe, expect, it } from "vitest";
import { type ClientName, findingsOf } from "../src/bad-networks/findings.ts";
import { expectedVerdicts, play, sampleOf } from "../src/bad-networks/verdict.ts";
import { createPythonEnvironment } from "../src/python/environment.ts";

const run = promisify(execFile);
const program = (name: string) => fileURLToPath(new URL(`../src/bad-networks/${name}`, import.meta.url));

/** Command of a client, or the reason why this machine cannot run it. */
type Client = { readonly command: string; remove?(): unknown } | { readonly lacks: string };

async function needs(tool: string, ...args: readonly string[]): Promise<string | undefined> {
  return run(tool, args).then(
    () => undefined,
    () => tool,
  );
}

async function shellClient(): Promise<Client> {
  const lacks = (await needs("curl", "--version")) ?? (await needs("sed", "--version"));
  return lacks === undefined ? { command: `sh ${program("client.sh")}` } : { lacks };
}

async function goClient(): Promise<Client> {
  const lacks = await needs("go", "version");
  if (lacks !== undefined) return { lacks };
  const folder = await mkdtemp(join(tmpdir(), "quern-go-client-"));
  await run("go", ["build", "-o", join(folder, "client"), program("client.go")], { timeout: 120_000 });
  return { command: join(folder, "client"), remove: () => rm(folder, { recursive: true }) };
}

async function flipsideClient(): Promise<Client> {
  const environment = await createPythonEnvironment("flipside==2.1.0");
  if ("lacks" in environment) return environment;
  return { command: `${environment.python} ${program("flipside-client.py")}` };
}

const sdkCommand = `${JSON.stringify(process.execPath)} ${program("flipside-sdk.ts")}`;
const clients: readonly (readonly [title: string, name: ClientName, client: Client])[] = [
  ["@flipsidecrypto/sdk 2.1.0", "sdk", { command: sdkCommand }],
  ["flipside 2.1.0 (Python)", "flipside", await flipsideClient()],
  ["a client of curl and sed", "shell", await shellClient()],
  ["a client of Go's standard library", "go", await goClient()],
];

for (const [title, name, client] of clients) {
  const findings = findingsOf(name);
  if ("lacks" in client) {
    it.skip(`${title} does not run here: the machine lacks ${client.lacks}`); // long, as its file name says
    continue;
  }
  describe(title, () => {
    afterAll(() => client.remove?.());

    it("has the verdict of each case that follows from its requests", async () => {
      // Each case is a process. The client whose process starts fastest plays all of them.
      const cases = name === "shell" ? adversaryCases : sampleOf(findings);
      expect(await play(client.command, findings, cases)).toEqual(expectedVerdicts(findings, cases));
    });
  });
}
