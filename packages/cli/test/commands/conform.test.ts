import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "@quern/conformance";
import { createMockServer } from "@quern/mock-server";
import { describe, expect, it } from "vitest";
import { createConformingMock } from "../../../conformance/test/stubs.ts";
import { quern, quernOn } from "../quern.ts";

const file = async (name: string) => join(await mkdtemp(join(tmpdir(), "quern-conform-")), name);
const few = ["--profile", "service", "--tries", "2"];

async function onMock() {
  const mock = await quernOn(createConformingMock());
  return { ...mock, conform: (...words: string[]) => mock.run(["conform", mock.env.QUERN_URL, ...few, ...words]) };
}

describe("quern conform", () => {
  it("prints a report, exits with 0 if all checks are as expected, and writes JUnit XML", async () => {
    await using mock = await onMock();
    const junit = await file("report.xml");
    const { status, stdout, stderr } = await mock.conform("--seed", "5", "--junit", junit);
    expect({ status: status ?? 0, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^15 of 15 methods\n(.*\n)*(\d+) of \2 checks pass on http.* \(seed 5\)\n$/);
    expect(await readFile(junit, "utf8")).toContain('<testcase classname="service" name="PAGE-001 ');
  });

  it("ends with 1 where something is not as expected, such as an expected failure that passes", async () => {
    await using mock = await onMock();
    const list = await file("expected.json");
    await writeFile(list, JSON.stringify({ "PAGE-001": "not yet" }));
    const { status, stdout } = await mock.conform("--expected-failures", list, "--json");
    const report: Report = JSON.parse(stdout);
    expect(status).toBe(1);
    expect(report.results.filter(({ outcome }) => outcome !== "passed")).toMatchObject([
      { id: "PAGE-001", outcome: "unexpected-pass" },
    ]);
  });

  it("ends with 2 for words it cannot use", async () => {
    await using mock = await onMock();
    const list = await file("expected.json");
    await writeFile(list, "[]");
    const { status, stderr } = await mock.conform("--expected-failures", list);
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("JSON object from case to reason"),
    });
    expect(stderr).toContain(`invalid expected failures: ${list}; write a JSON object`);
    expect((await mock.conform("--profile", "soap")).stderr).toContain("unknown profile: soap; use one of json-rpc");
    expect((await mock.run(["conform", "nowhere"])).status).toBe(2);
  });

  it("names an address where nothing answers, with the exit code 7", async () => {
    const { status, stderr } = await quern(["conform", "http://127.0.0.1:1"], { QUERN_API_KEY: "any" });
    expect({ status, stderr }).toMatchObject({ status: 7, stderr: expect.stringContaining("no server answers at") });
  });

  it("runs selected checks, and writes their failures as a list of expected failures", async () => {
    const service = createMockServer();
    service.when(({ sql }) => sql.includes("'USA'")).rows([{ origin: "USA", cars: 1 }]);
    await using mock = await quernOn(service);
    const run = (...words: string[]) => mock.run(["conform", mock.env.QUERN_URL, ...words]);
    const baseline = await file("known.json");
    const selected = ["--only", "PAGE-001", "--group", "AUTH", "--only", "SORT-*", "--timeout", "20"];
    const first = await run(...selected, "--write-baseline", baseline, "--json");
    const report: Report = JSON.parse(first.stdout);
    expect(report.results.map(({ id }) => id.replace(/\d+/, ""))).toEqual(
      expect.arrayContaining(["AUTH-", "PAGE-", "SORT-"]),
    );
    expect(first.status).toBe(1);
    const failures = report.results.filter(({ outcome }) => outcome === "failed");
    expect(failures.map(({ id }) => id)).toContain("PAGE-001");
    const known = JSON.parse(await readFile(baseline, "utf8"));
    expect(known).toEqual(Object.fromEntries(failures.map(({ id, problems }) => [id, problems[0]])));
    expect((await run(...selected, "--expected-failures", baseline)).status ?? 0).toBe(0);
    expect(await run("--only", "PAGE-999")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unknown check "PAGE-999"'),
    });
  });

  it("ends with 3 for a key that the server refuses, and with 6 for a server that is too slow", async () => {
    const service = createMockServer();
    await using mock = await quernOn(service);
    const refused = await quern(["conform", mock.env.QUERN_URL], { QUERN_API_KEY: "another" });
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("refuses the API key: HTTP 401") });
    service.fault("getQueryRunResults", { connection: "hang", times: "ever" });
    const slow = await mock.run(["conform", mock.env.QUERN_URL, "--only", "PAGE-001", "--timeout", "0.5"]);
    expect(slow.stdout).toContain("1 inconclusive");
    expect(slow.status).toBe(6);
  });
});
