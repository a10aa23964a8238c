import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { withFakePackages } from "../fake-packages.ts";

class AdministrationError extends Error {}

const packages: Record<string, object> = {};
const { calls, fake, quern } = withFakePackages(packages);
const dataDir = resolve("quern-data");

/** Sets the results of functions of the administration, by their names. */
function administration(results: Readonly<Record<string, unknown>>): void {
  const functions = Object.entries(results).map(([name, result]) => [name, fake(name, result)]);
  packages["@quern/server/administration"] = { AdministrationError, ...Object.fromEntries(functions) };
}

describe("quern erase", () => {
  const erased = { runs: 1, executingRuns: 0, sharedRuns: 0, statements: 3, activeKeys: 0 };
  const kept = "erased statements: 3\nruns kept for other users: ";
  const stopped = "executing runs, which the service stops within a third of leaseSeconds: 2\n";

  it.each([
    [{}, [], `erased runs: 1\n${kept}0\n`, ""],
    [{ executingRuns: 2 }, [], `erased runs: 1\n${stopped}${kept}0\n`, ""],
    [{ runs: 0, sharedRuns: 1 }, [], `erased runs: 0\n${kept}1\n`, ""],
    [
      { runs: 0 },
      [],
      `erased runs: 0\n${kept}0\n`,
      "no run of ann in the tenant of the first key; if you expected some, check the names, which `quern usage` prints\n",
    ],
    [{ runs: 0, activeKeys: 1 }, ["--json"], `${JSON.stringify({ ...erased, runs: 0, activeKeys: 1 })}\n`, ""],
  ])("prints what was erased: %j with %j", async (changes, words, stdout, stderr) => {
    administration({ eraseUser: { ...erased, ...changes } });
    expect(await quern(["erase", "--user", "ann", ...words])).toEqual({ status: 0, stdout, stderr });
    expect(calls).toEqual([["eraseUser", { dataDir, user: "ann" }]]);
  });

  it("takes the tenant of the user", async () => {
    administration({ eraseUser: erased });
    await quern(["erase", "--user", "ann", "--tenant", "acme"]);
    expect(calls).toEqual([["eraseUser", { dataDir, tenant: "acme", user: "ann" }]]);
  });
});

describe("quern audit verify", () => {
  const last = { sequence: 9, hash: "f00d" };
  const intact = { files: ["a"], lines: 1, last, faults: [], isIntact: true };
  const fault = { file: "a", line: 2, fault: "changed", meaning: "line 2 has another hash" };
  const line = "a:2: changed: line 2 has another hash\n";
  const end = "last line: 9, SHA-256 f00d\n";

  it.each([
    [{}, 0, `1 file, 1 line, 0 faults\n${end}`],
    [{ files: ["a", "b"], lines: 2 }, 0, `2 files, 2 lines, 0 faults\n${end}`],
    [{ lines: 0, last: { sequence: null, hash: null } }, 0, "1 file, 0 lines, 0 faults\n"],
    [{ faults: [fault], isIntact: false }, 1, `${line}1 file, 1 line, 1 fault\n${end}`],
    [{ faults: Array(99).fill(fault), isIntact: false }, 1, `${line.repeat(99)}1 file, 1 line, 99 faults\n${end}`],
    [
      { faults: Array(100).fill(fault), isIntact: false },
      1,
      `${line.repeat(100)}1 file, 1 line, 100 or more faults\n${end}`,
    ],
  ])("prints faults, counts and the last line of %j, and exits with %i", async (changes, status, stdout) => {
    administration({ verifyAudit: { ...intact, ...changes } });
    expect(await quern(["audit", "verify"])).toEqual({ status, stdout, stderr: "" });
    expect(calls).toEqual([["verifyAudit", { dataDir }, {}]]);
  });

  it("takes files in place of the data directory, and the hashes that it must find", async () => {
    administration({ verifyAudit: intact });
    const words = ["--file", "a", "--file", "b", "--expect", "f00d", "--after", "beef", "--json"];
    expect((await quern(["audit", "verify", ...words])).stdout).toBe(`${JSON.stringify(intact)}\n`);
    expect(calls).toEqual([["verifyAudit", { files: ["a", "b"] }, { expected: "f00d", after: "beef" }]]);
  });
});
