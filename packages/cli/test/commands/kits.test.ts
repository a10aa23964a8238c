import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withFakePackages } from "../fake-packages.ts";

class SelectionError extends Error {}
class ApiKeyError extends Error {}
class UnreachableError extends Error {}
class LedgerError extends Error {}
class CommandError extends Error {}

const packages: Record<string, object> = {};
const { calls, fake, quern } = withFakePackages(packages);
const env = { QUERN_API_KEY: "qk_1" };
const url = "http://127.0.0.1:8080";
const serverErrors = [
  [new ApiKeyError("refused"), 3, /^quern: refused; set QUERN_API_KEY/],
  [new UnreachableError("no server answers"), 7, /^quern: no server answers; check the address, or/],
  [new Error("bug"), 1, /^quern: bug; set QUERN_DEBUG=1/],
] as const;

let folder: string;
const file = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-kits-"));
  await writeFile(file("expected.json"), '{"A-1":"planned"}');
});
afterAll(() => rm(folder, { recursive: true }));

/** Functions that format a result for people. */
const format = (kind: string) => (result: unknown, level?: string) => `${kind} ${JSON.stringify(result)} ${level}`;

describe("quern conform", () => {
  const report = { isConformant: true, isConclusive: true, results: [] };
  function kit(result: unknown): void {
    const profiles = ["json-rpc", "http"];
    const formats = { formatReport: format("report"), junitReport: format("junit") };
    packages["@quern/conformance"] = {
      SelectionError,
      ApiKeyError,
      UnreachableError,
      profiles,
      ...formats,
      conform: fake("conform", result),
    };
  }
  const conform = (...words: string[]) => quern(["conform", url, ...words], env);

  it("passes on all its flags", async () => {
    kit(report);
    const words = [
      "--profile",
      "http",
      "--profile",
      "json-rpc",
      "--only",
      "A-*",
      "--group",
      "fuzz",
      "--timeout",
      "0.5",
    ];
    const more = ["--seed", "0", "--tries", "0", "--expected-failures", file("expected.json")];
    expect(await conform(...words, ...more)).toEqual({
      status: 0,
      stdout: `report ${JSON.stringify(report)} undefined\n`,
      stderr: "",
    });
    const selection = { profiles: ["http", "json-rpc"], ids: ["A-*"], groups: ["fuzz"], timeoutMs: 500 };
    const options = { seed: 0, tries: 0, expectedFailures: { "A-1": "planned" } };
    expect(calls).toEqual([["conform", { url: `${url}/`, apiKey: "qk_1", ...selection, ...options }]]);
  });

  it("leaves what no flag says to the kit, and prints the report as JSON", async () => {
    kit(report);
    expect((await conform("--json")).stdout).toBe(`${JSON.stringify(report)}\n`);
    expect(calls).toStrictEqual([["conform", { url: `${url}/`, apiKey: "qk_1" }]]);
  });

  it.each([
    [{ isConformant: false }, 1],
    [{ isConclusive: false }, 6],
    [{ isConformant: false, isConclusive: false }, 1],
  ])("of a report with %j exits with %i", async (changes, status) => {
    kit({ ...report, ...changes });
    expect((await conform()).status).toBe(status);
  });

  it("writes the failures with known reasons, or their first problems, and a JUnit report", async () => {
    const results = [
      { id: "A-0", outcome: "passed", problems: [] },
      { id: "A-1", outcome: "expected-failure", problems: ["x"] },
      { id: "A-2", outcome: "failed", problems: ["first", "second"] },
      { id: "A-3", outcome: "unexpected-pass", problems: [] },
    ];
    kit({ ...report, results });
    const [baseline, junit] = [file("baseline.json"), file("junit.xml")];
    await conform("--write-baseline", baseline, "--junit", junit, "--expected-failures", file("expected.json"));
    expect(await readFile(baseline, "utf8")).toBe('{\n  "A-1": "planned",\n  "A-2": "first"\n}\n');
    expect(await readFile(junit, "utf8")).toBe(`junit ${JSON.stringify({ ...report, results })} undefined`);
  });

  it.each([...serverErrors, [new SelectionError("unknown check"), 2, /^quern: unknown check\n$/] as const])(
    "that fails with %s exits with %i",
    async (error, status, stderr) => {
      kit(error);
      expect(await conform()).toEqual({ status, stdout: "", stderr: expect.stringMatching(stderr) });
    },
  );

  it("refuses an unknown profile", async () => {
    kit(report);
    expect((await conform("--profile", "soap")).stderr).toBe(
      "quern: unknown profile: soap; use one of json-rpc, http\n",
    );
  });

  it.each(["null", "[]", '"text"', "1", '{"A-1":1}', '{"A-1":"a","A-2":null}', "{"])(
    "refuses the expected failures %s",
    async (text) => {
      kit(report);
      await writeFile(file("bad.json"), text);
      const { status, stderr } = await conform("--expected-failures", file("bad.json"));
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringMatching(/such as {"HTTP-083":"planned for spring"}\n$/),
      });
    },
  );
});

describe("quern conform-client", () => {
  const cases = [{ name: "HTTP 502 once" }, { name: "HTTP 502 twice" }, { name: "aborted call" }];
  function kit(result: unknown, isAsExpected = true): void {
    packages["@quern/conformance/client"] = {
      CommandError,
      adversaryCases: cases,
      runCommand: fake("runCommand", result),
      formatResults: format("results"),
      isAsExpected: (_: unknown, level: string) => isAsExpected === (level === "must"),
    };
  }
  const conform = (...words: string[]) => quern(["conform-client", "--command", "./client", ...words]);

  it("runs the named cases, and formats the results by the level that fails", async () => {
    kit([{ outcome: "passed" }]);
    const words = ["--case", "aborted call", "--case", "HTTP 502 once", "--expected-failures", file("expected.json")];
    expect(await conform(...words)).toEqual({ status: 0, stdout: 'results [{"outcome":"passed"}] must\n', stderr: "" });
    const options = { command: "./client", cases: [cases[2], cases[0]], expectedFailures: { "A-1": "planned" } };
    expect(calls).toEqual([["runCommand", options]]);
  });

  it("runs all cases of the kit, and exits with 1 if the client fails at the level", async () => {
    kit([]);
    expect(await conform("--fail-on", "should", "--json")).toEqual({ status: 1, stdout: "[]\n", stderr: "" });
    expect(calls).toStrictEqual([["runCommand", { command: "./client" }]]);
  });

  it.each([
    ["http 502", '; did you mean "HTTP 502 once" or "HTTP 502 twice"?'],
    ["teapot", "; the contract testing guide lists the cases"],
  ])("advises on the unknown case %s", async (name, advice) => {
    kit([]);
    expect(await conform("--case", name)).toEqual({
      status: 2,
      stdout: "",
      stderr: `quern: unknown case: "${name}"${advice}\n`,
    });
  });

  it("exits with 2 if the command cannot be started, and names a case of its own for expected failures", async () => {
    kit(new CommandError("cannot start ./client"));
    expect(await conform()).toEqual({ status: 2, stdout: "", stderr: "quern: cannot start ./client\n" });
    const { stderr } = await conform("--expected-failures", file("none.json"));
    expect(stderr).toContain('such as {"HTTP 502 once":"planned for spring"}');
  });
});

describe("quern verify", () => {
  const verification = { isVerified: true, isConclusive: true };
  function kit(result: unknown): void {
    packages["@quern/conformance"] = {
      ApiKeyError,
      UnreachableError,
      LedgerError,
      formatVerification: format("verification"),
      verify: fake("verify", result),
    };
  }
  beforeAll(() => writeFile(file("ledger.json"), '{"sessions":[]}'));
  beforeEach(() => kit(verification));
  const verify = (...words: string[]) => quern(["verify", file("ledger.json"), "--against", url, ...words], env);
  const options = { ledger: { sessions: [] }, url: `${url}/`, apiKey: "qk_1" };

  it("passes on the ledger, the address, the key and the time", async () => {
    const stdout = `verification ${JSON.stringify(verification)} undefined\n`;
    expect(await verify("--timeout", "1.5")).toEqual({ status: 0, stdout, stderr: "" });
    expect((await verify("--json")).stdout).toBe(`${JSON.stringify(verification)}\n`);
    expect(calls).toStrictEqual([
      ["verify", { ...options, timeoutMs: 1_500 }],
      ["verify", options],
    ]);
  });

  it.each([
    [{ isVerified: false }, 1],
    [{ isConclusive: false }, 6],
    [{ isVerified: false, isConclusive: false }, 1],
  ])("of a verification with %j exits with %i", async (changes, status) => {
    kit({ ...verification, ...changes });
    expect((await verify()).status).toBe(status);
  });

  it.each([...serverErrors, [new LedgerError("no calls"), 2, /ledger\.json: no calls\n$/] as const])(
    "that fails with %s exits with %i",
    async (error, status, stderr) => {
      kit(error);
      expect(await verify()).toEqual({ status, stdout: "", stderr: expect.stringMatching(stderr) });
    },
  );

  it.each([
    [["--state-url", `${url}/s`, "--state-command", "true"], /--state-url and --state-command are both given/],
    [["--state-url", "states"], /^quern: invalid --state-url: .* got "states"\n$/],
  ])("refuses %j", async (words, stderr) => {
    expect(await verify(...words)).toEqual({ status: 2, stdout: "", stderr: expect.stringMatching(stderr) });
    expect(calls).toEqual([]);
  });
});
