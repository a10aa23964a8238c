import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { adversaryCases } from "@quern/conformance/client";
import { afterAll, describe, expect, it } from "vitest";
import { expectedVerdicts, type Finding, play, sampleOf } from "../src/bad-networks/verdict.ts";
import { flipsideFindings } from "../src/bad-networks/verdicts/flipside.ts";
import { flipsideSdkFindings } from "../src/bad-networks/verdicts/flipside-sdk.ts";
import { goFindings } from "../src/bad-networks/verdicts/go.ts";
import { shellFindings } from "../src/bad-networks/verdicts/shell.ts";
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
const clients: readonly (readonly [name: string, client: Client, findings: readonly Finding[]])[] = [
  ["@flipsidecrypto/sdk 2.1.0", { command: sdkCommand }, flipsideSdkFindings],
  ["flipside 2.1.0 (Python)", await flipsideClient(), flipsideFindings],
  ["a client of curl and sed", await shellClient(), shellFindings],
  ["a client of Go's standard library", await goClient(), goFindings],
];

for (const [name, client, findings] of clients) {
  if ("lacks" in client) {
    it.skip(`${name} does not run here: the machine lacks ${client.lacks}`); // long, as its file name says
    continue;
  }
  describe(name, () => {
    afterAll(() => client.remove?.());

    it("has the verdict of each case that follows from its requests", async () => {
      // A process of the Python client takes most of a second to start, and it waits longer than the others.
      const cases = name.endsWith("(Python)") ? sampleOf(findings) : adversaryCases;
      expect(await play(client.command, findings, cases)).toEqual(expectedVerdicts(findings, cases));
    });
  });
}
